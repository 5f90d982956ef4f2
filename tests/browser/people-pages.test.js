// The tree shows who else writes which page of a change request, and people are followed from page to page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { cursor, edit, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Milliseconds within which an open window reads the people again, and shows them. */
const READ_AGAIN = 25_000;

/** The row of a page in the tree. */
const rowOf = (page, id) => page.getByRole('treegrid', { name: 'Pages' }).locator(`[role="row"][data-key="${id}"]`);

const peopleHere = (page) => page.getByRole('list', { name: 'Also writing here' });

/** Waits for an element while the person leaves the window and comes back, which reads the people at once. */
async function seen(page, element, state) {
    await eventually(async () => {
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
        await element.waitFor({ state, timeout: 1_000 });
    });
}

/** Opens the first of two pages of a change request in the windows of the owner and of another person. */
async function begin(bench, name) {
    const space = await bench.api.createSpace('Pages', [
        { title: 'First', markdown: 'Text of the first page.' },
        { title: 'Second', markdown: 'Text of the second page.' },
    ]);
    const { First: first, Second: second } = space.pages;
    const ben = await bench.signIn();
    const number = await edit(ben, bench.address('s', space.id, first));
    const addressOf = (id) => bench.address('s', space.id, '~', 'changes', number, id);
    const ann = await bench.member(name, 'edit');
    await ann.goto(addressOf(first));
    await textOf(ann).getByText('Text of the first page.').waitFor();
    return { ben, ann, first, second, addressOf, space };
}

/** Presses the sign of a person, and waits until the window follows them. */
async function follow(page, name) {
    const sign = peopleHere(page).getByRole('button', { name: `Follow ${name}` });
    await sign.click();
    await peopleHere(page).locator('[aria-pressed="true"]').waitFor();
    // The hint of a button that the mouse has left would take the key Escape.
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
}

flow('people on pages', engines(), (bench) => {
    test('the tree shows who else writes which page', async () => {
        const { ben, ann, first, second, space } = await begin(bench, 'Ann');
        await rowOf(ann, second).click();
        await textOf(ann).getByText('Text of the second page.').waitFor();
        const there = rowOf(ben, second).locator('.space-row-people');
        const before = await rowOf(ben, second).locator('.space-row-title').boundingBox();
        await there.getByText('Ann is writing here').waitFor({ state: 'attached', timeout: READ_AGAIN });
        assert.equal(await there.locator('.avatar').innerText(), 'A');
        const after = await rowOf(ben, second).locator('.space-row-title').boundingBox();
        assert.deepEqual([after.x, after.y], [before.x, before.y]);
        // Nobody sees themself.
        await seen(ann, rowOf(ann, first).getByText('Administrator is writing here'), 'attached');
        assert.equal(await rowOf(ann, second).locator('.space-row-people').count(), 0);
        await ann.close();
        await seen(ben, there, 'detached');

        const reader = await bench.member('Rosa', 'read');
        const asked = [];
        reader.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await reader.goto(bench.address('s', space.id, first));
        await textOf(reader).getByText('Text of the first page.').waitFor();
        assert.deepEqual(asked.filter((path) => path.endsWith('/people')), []);
    });

    test('a closed branch shows who writes on the pages below it', async () => {
        const space = await bench.api.createSpace('Branch', [
            { title: 'First', markdown: 'Text of the first page.' },
            { title: 'Branch', pages: [{ title: 'Inner', pages: [{ title: 'Leaf', markdown: 'Text of the leaf.' }] }] },
        ]);
        const { First: first, Branch: branch, Inner: inner, Leaf: leaf } = space.pages;
        const ben = await bench.signIn();
        const number = await edit(ben, bench.address('s', space.id, first));
        const ann = await bench.member('Eve', 'edit');
        await ann.goto(bench.address('s', space.id, '~', 'changes', number, leaf));
        await textOf(ann).getByText('Text of the leaf.').waitFor();
        const below = (id) => rowOf(ben, id).getByText('Eve is writing on a page below');
        const toggle = (id) => rowOf(ben, id).locator('.space-row-chevron').click();
        await seen(ben, below(branch), 'attached');
        assert.equal(await rowOf(ben, branch).locator('.avatar').innerText(), 'E');
        // The sign goes down with the branches that are opened, to the page itself.
        await toggle(branch);
        await below(inner).waitFor({ state: 'attached' });
        assert.equal(await rowOf(ben, branch).locator('.space-row-people').count(), 0);
        await toggle(inner);
        await rowOf(ben, leaf).getByText('Eve is writing here').waitFor({ state: 'attached' });
        assert.equal(await rowOf(ben, inner).locator('.space-row-people').count(), 0);
        await toggle(branch);
        await below(branch).waitFor({ state: 'attached' });
        await ann.close();
        await seen(ben, rowOf(ben, branch).locator('.space-row-people'), 'detached');
    });

    test('a window follows a person to another page, and back', async () => {
        const { ben, ann, first, second, addressOf } = await begin(bench, 'Bea');
        await follow(ben, 'Bea');
        await rowOf(ann, second).click();
        await ben.waitForURL(addressOf(second));
        await textOf(ben).getByText('Text of the second page.').waitFor();
        await peopleHere(ben).locator('[aria-pressed="true"]').waitFor();
        await rowOf(ann, first).click();
        await ben.waitForURL(addressOf(first));
    });

    test('Escape and own words end following', async () => {
        const { ben, ann, first, second, addressOf } = await begin(bench, 'Cleo');
        const pressed = peopleHere(ben).locator('[aria-pressed="true"]');
        await follow(ben, 'Cleo');
        await ben.keyboard.press('Escape');
        await pressed.waitFor({ state: 'detached' });
        await follow(ben, 'Cleo');
        await cursor(ben, 'end');
        await ben.keyboard.type(' Own.');
        await pressed.waitFor({ state: 'detached' });
        await rowOf(ann, second).click();
        await seen(ben, rowOf(ben, second).getByText('Cleo is writing here'), 'attached');
        assert.equal(ben.url(), addressOf(first));
    });

    test('a server that does not tell the people is asked once, and the page works', async () => {
        const { ben, ann } = await begin(bench, 'Dora');
        let asked = 0;
        await ann.route('**/people', (route) => {
            asked += 1;
            return route.fulfill({ status: 404, contentType: 'application/json', body: '{"error":{"code":404,"message":"Not found"}}' });
        });
        await ann.clock.install();
        await ann.reload();
        await textOf(ann).waitFor();
        await eventually(async () => assert.equal(asked, 1));
        await ann.clock.runFor(60_000);
        await cursor(ann, 'end');
        await ann.keyboard.type(' Words.');
        await ann.clock.runFor(1_000);
        await textOf(ben).getByText('Text of the first page. Words.').waitFor();
        assert.equal(asked, 1);
        assert.equal(await ann.getByRole('alert').count(), 0);
    });
});
