// People write the main content itself, without a change request, and readers see it when they are done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { agreed, changeNumber, cursor, failed, pastePicture, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

const editLive = (page) => page.locator('.space-page-bar').getByRole('button', { name: 'Edit live' });
const done = (page) => page.locator('.space-page-bar').getByRole('button', { name: 'Done', exact: true });

/** Begins to write the open page live. */
async function live(page) {
    await editLive(page).click();
    await done(page).waitFor();
    await textOf(page).waitFor();
}

/** Ends to write the open page live, after everything is saved. */
async function end(page) {
    await done(page).click();
    await editLive(page).waitFor();
    await textOf(page).waitFor();
}

/** Opens a page of the main content in the windows of several people, who write it live. */
async function begin(bench, markdown, ...names) {
    const space = await bench.api.createSpace('Live', [{ title: 'Draft', markdown }, { title: 'Other', markdown: 'Another page.' }]);
    const id = space.pages.Draft;
    const address = bench.address('s', space.id, id);
    const pages = [await bench.signIn()];
    for (const name of names) {
        pages.push(await bench.member(name, 'edit'));
    }
    for (const page of pages) {
        await page.goto(address);
        await live(page);
    }
    const before = await bench.api.history(space.id);
    /** Checks that there is no change request, and the given number of new revisions. */
    const made = async (revisions) => {
        assert.deepEqual(await bench.api.changes(space.id), []);
        assert.equal((await bench.api.history(space.id)).length - before.length, revisions);
    };
    const main = () => bench.api.markdown(space.id, id);
    return { pages, space, id, address, made, main };
}

const setMode = (bench, space, editMode) => bench.api.call('PATCH', `/spaces/${space.id}`, { editMode });

flow('live edits', engines(), (bench) => {
    test('two people write the main content at once, and one of them saves it', async () => {
        const { pages: [own, ann], made, main } = await begin(bench, 'First.\n\nSecond.', 'Lena');
        await own.getByRole('list', { name: 'Also writing here' }).getByRole('button', { name: 'Follow Lena' }).waitFor();
        await cursor(own, 'start');
        await cursor(ann, 'end');
        await Promise.all([own.keyboard.type('Own words. '), ann.keyboard.type(' Words of Lena.')]);
        assert.equal(await agreed(own, ann), 'Own words. First.\nSecond. Words of Lena.');
        await saved(own);
        await saved(ann);
        // Going to another field saves nothing.
        await own.getByRole('textbox', { name: 'Title' }).focus();
        await saved(own);
        await made(0);
        await end(own);
        assert.equal(await agreed(own, ann), 'Own words. First.\nSecond. Words of Lena.');
        assert.match(await main(), /Own words\. First\.\n\nSecond\. Words of Lena\./);
        await made(1);
        // There is nothing left to save for the other one.
        await end(ann);
        await made(1);
    });

    test('a key starts a change request before and after the page is written live', async () => {
        const { pages: [own], id, space, made, main } = await begin(bench, 'First.');
        await cursor(own, 'end');
        await own.keyboard.type(' Live.');
        await end(own);
        await made(1);
        await cursor(own, 'end');
        await own.keyboard.type(' Proposed.');
        const change = bench.api.change(space.id, await changeNumber(own));
        await eventually(async () => assert.match(await change.markdown(id), /First\. Live\. Proposed\./));
        assert.doesNotMatch(await main(), /Proposed/);
    });

    test('a page that is left is saved, and the next one is not written live', async () => {
        const { pages: [own], made, main } = await begin(bench, 'First.');
        await cursor(own, 'end');
        await own.keyboard.type(' Left at once.');
        await own.getByRole('row', { name: 'Other' }).click();
        await textOf(own).getByText('Another page.').waitFor();
        await editLive(own).waitFor();
        assert.equal(await done(own).count(), 0);
        await eventually(async () => assert.match(await main(), /First\. Left at once\./));
        await made(1);
    });

    test('the title is saved with the page', async () => {
        const { pages: [own], space, id, made } = await begin(bench, 'First.');
        await own.getByRole('textbox', { name: 'Title' }).fill('Another title');
        await made(0);
        await end(own);
        await made(1);
        const page = (await bench.api.pages(space.id)).find((one) => one.id === id);
        assert.equal(page.title, 'Another title');
    });

    test('a picture is added to the main content', async () => {
        const { pages: [own], space, made, main } = await begin(bench, 'First.');
        await cursor(own, 'end');
        await pastePicture(own);
        await textOf(own).getByRole('img').first().waitFor();
        await saved(own);
        await end(own);
        const { items: [file] } = await bench.api.get(`/spaces/${space.id}/content/files`);
        assert.equal(file.name, 'square.png');
        assert.ok((await main()).includes(file.id));
        // One revision has the file, the other one the text.
        await made(2);
    });

    test('what the server did not get waits until the page is written live again', async () => {
        const { pages: [own], address, made, main } = await begin(bench, 'First.');
        await cursor(own, 'end');
        await bench.server.kill();
        await own.keyboard.type(' Kept words.');
        await failed(own);
        await own.close({ runBeforeUnload: false });
        await bench.server.restart();
        const again = await bench.open(own.context());
        await again.goto(address);
        await again.getByText('Text that you wrote live on this page is not saved.').waitFor();
        await textOf(again).getByText('First.', { exact: true }).waitFor();
        await made(0);
        await live(again);
        await textOf(again).getByText('First. Kept words.').waitFor();
        await saved(again);
        await end(again);
        assert.match(await main(), /First\. Kept words\./);
        await made(1);
    });

    test('a space that is locked meanwhile takes no words, and offers none', async () => {
        const { pages: [own, ann], space, address, made, main } = await begin(bench, 'First.', 'Mira');
        await setMode(bench, space, 'locked');
        await cursor(own, 'end');
        await own.keyboard.type(' Words in a locked space.');
        await failed(own);
        await ann.goto(address);
        await textOf(ann).getByText('First.', { exact: true }).waitFor();
        await ann.locator('.space-name').getByText('Live').waitFor();
        assert.equal(await editLive(ann).count(), 0);
        await done(own).click();
        await own.getByText('Some changes are not in the main content yet.').waitFor();
        await textOf(own).getByText('First. Words in a locked space.').waitFor();
        await made(0);
        await setMode(bench, space, 'live');
        await saved(own);
        await end(own);
        assert.match(await main(), /First\. Words in a locked space\./);
        await made(1);
    });
});
