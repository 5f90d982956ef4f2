// Nothing that was typed is lost, whatever happens to the network, the server, the window or the page meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { cursor, edit, failed, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Opens a new page for editing, with the cursor at its end. The addresses that match cannot be loaded. */
async function begin(bench, unreachable) {
    const markdown = 'First block.\n\nSecond block.\n\nLast block.';
    const space = await bench.api.createSpace('Kept', [{ title: 'Draft', markdown }]);
    const id = space.pages.Draft;
    const page = await bench.signIn();
    if (unreachable) await page.route(unreachable, (route) => route.abort());
    const change = bench.api.change(space.id, await edit(page, bench.address('s', space.id, id)));
    await cursor(page, 'end');
    /** Waits until the server holds all of the sentences, and says which are missing. */
    const kept = (...sentences) =>
        eventually(async () => {
            const text = await change.markdown(id);
            assert.deepEqual(sentences.filter((one) => !text.includes(one)), [], text);
        });
    return { page, space, id, change, kept };
}

flow('never lost', engines(), (bench) => {
    test('the network is cut and comes back', async () => {
        const { page, kept } = await begin(bench);
        await page.context().setOffline(true);
        await page.keyboard.type(' Written without a network.');
        await failed(page);
        await page.keyboard.type(' And still without.');
        await page.context().setOffline(false);
        await kept('Last block. Written without a network. And still without.');
        await saved(page);
    });

    test('the network is cut before all parts of the editor are loaded', async () => {
        const part = /\/suggestions-[^/]+\.js$/;
        const { page, kept } = await begin(bench, part);
        await page.keyboard.type(' Written without a part.');
        await kept('Last block. Written without a part.');
        await page.waitForEvent('requestfailed', (request) => part.test(request.url()));
        await textOf(page).getByText('Written without a part.').waitFor();
        await page.unroute(part);
        await page.waitForEvent('requestfinished', (request) => part.test(request.url()));
        await textOf(page).getByText('Written without a part.').waitFor();
    });

    test('the server is killed while somebody types', async () => {
        const { page, kept } = await begin(bench);
        const sentences = [];
        for (const round of ['one', 'two', 'three']) {
            const typing = page.keyboard.type(` Typed in round ${round}, while the server ended.`);
            await bench.server.kill();
            await typing;
            await failed(page);
            await bench.server.restart();
            sentences.push(`Typed in round ${round}, while the server ended.`);
            await page.keyboard.type(` After round ${round}.`);
            sentences.push(`After round ${round}.`);
        }
        await kept(...sentences);
        await saved(page);
    });

    test('the window is closed while the server is down', async () => {
        const { page, kept } = await begin(bench);
        await page.keyboard.type(' Saved before.');
        await kept('Saved before.');
        await bench.server.kill();
        await page.keyboard.type(' Closed at once.');
        await page.close({ runBeforeUnload: false });
        await bench.server.restart();
        const again = await bench.open(page.context());
        await again.goto(page.url());
        await again.getByText('Text that had not been saved was recovered.').waitFor();
        await textOf(again).getByText('Last block. Saved before. Closed at once.').waitFor();
        await kept('Saved before. Closed at once.');
    });

    test('two windows with the page are closed while the server is down', async () => {
        const { page, kept } = await begin(bench);
        const second = await bench.open(page.context());
        await second.goto(page.url());
        await textOf(second).getByText('Last block.').waitFor();
        await bench.server.kill();
        await page.keyboard.type(' Written in the first one.');
        await cursor(second, 'start');
        await second.keyboard.type('Written in the second one. ');
        await failed(page);
        await failed(second);
        await page.close({ runBeforeUnload: false });
        await second.close({ runBeforeUnload: false });
        await bench.server.restart();
        const again = await bench.open(page.context());
        await again.goto(page.url());
        await kept('Last block. Written in the first one.', 'Written in the second one. First block.');
        await textOf(again).getByText('Written in the second one. First block.').waitFor();
        await textOf(again).getByText('Last block. Written in the first one.').waitFor();
        await saved(again);
        assert.deepEqual(await again.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('bindery.draft.'))), []);
    });

    test('another page is opened at once after typing', async () => {
        const { page, kept } = await begin(bench);
        await page.keyboard.type(' Left at once.');
        await page.getByRole('link', { name: 'Home' }).click();
        await page.getByRole('heading', { name: 'Spaces' }).first().waitFor();
        await kept('Left at once.');
    });

    test('the title that was typed while the server was down is kept', async () => {
        const { page, change } = await begin(bench);
        await bench.server.kill();
        await page.getByRole('textbox', { name: 'Title' }).fill('Typed meanwhile');
        await failed(page);
        await bench.server.restart();
        await eventually(async () => assert.equal((await change.pages())[0].title, 'Typed meanwhile'));
    });

    test('another program changes other blocks of the page at the same time', async () => {
        const { page, id, change, kept } = await begin(bench);
        await page.keyboard.type(' A sentence of a person.');
        await kept('A sentence of a person.');
        const markdown = (await change.markdown(id)).replace('First block.', 'First block of a program.');
        await change.write([{ operation: 'update_page', page: id, document: { markdown } }]);
        await page.keyboard.type(' And another one.');
        await kept('First block of a program.', 'A sentence of a person. And another one.', 'Second block.');
        await textOf(page).getByText('First block of a program.').waitFor();
    });

    test('two people write in the same page', async () => {
        const { page, kept } = await begin(bench);
        const other = await bench.signIn();
        await other.goto(page.url());
        await cursor(other, 'start');
        await Promise.all([page.keyboard.type(' One person at the end.'), other.keyboard.type('Another at the start. ')]);
        await kept('One person at the end.', 'Another at the start. First block.', 'Second block.');
    });

    test('typing goes on while a change request begins', async () => {
        const space = await bench.api.createSpace('Begins', [{ title: 'Start', markdown: 'Words.' }]);
        const page = await bench.signIn();
        await page.goto(bench.address('s', space.id, space.pages.Start));
        await cursor(page, 'end');
        const typed = ' A long sentence that is typed without a pause, while the change request begins behind it.';
        await page.keyboard.type(typed, { delay: 15 });
        await page.waitForURL(/\/~\/changes\/\d+/);
        const change = bench.api.change(space.id, /changes\/(\d+)/.exec(page.url())[1]);
        await eventually(async () => assert.ok((await change.markdown(space.pages.Start)).includes(`Words.${typed}`)));
        assert.equal((await bench.api.get(`/spaces/${space.id}/change-requests?status=draft`)).items.length, 1);
    });
});
