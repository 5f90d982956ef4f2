// The tree of pages: pages are added, renamed, deleted, moved, copied and hidden, with the mouse and with keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { changeNumber, drag } from './lib/editor.js';
import { flow } from './lib/flow.js';

const PAGES = [
    { title: 'Alpha', markdown: 'Words of alpha.' },
    { title: 'Beta', pages: [{ title: 'Beta child', markdown: 'Words of a child.' }] },
    { title: 'Gamma' },
    { title: 'Delta' },
];

/** Returns the titles of a tree, with those of the pages below in brackets. */
const titlesOf = (pages) => pages.map(({ title, pages: below = [] }) => (below.length > 0 ? `${title} [${titlesOf(below)}]` : title)).join(', ');

/** Opens a space whose tree shows the pages above. */
async function begin(bench) {
    const space = await bench.api.createSpace('Tree', PAGES);
    const page = await bench.signIn();
    await page.goto(bench.address('s', space.id));
    const tree = page.getByRole('treegrid', { name: 'Pages' });
    const row = (name) => tree.getByRole('row', { name });
    await row('Delta').waitFor();
    /** Returns the change request of the first change. */
    const change = async () => bench.api.change(space.id, await changeNumber(page));
    /** Waits until the stored tree has these titles. */
    const stored = (titles) => eventually(async () => assert.equal(titlesOf(await (await change()).pages()), titles));
    /** Presses keys on a row. */
    const press = async (name, ...keys) => {
        await row(name).focus();
        for (const key of keys) {
            await page.keyboard.press(key);
        }
    };
    /** Chooses a command in the menu of a row. */
    const choose = async (name, command) => {
        const menu = page.getByRole('menu', { name: 'More actions' });
        await eventually(async () => {
            // A row that is drawn again, as pages have changed, closes its menu.
            if (await menu.isVisible()) await page.keyboard.press('Escape');
            await row(name).hover({ timeout: 3_000 });
            await row(name).getByRole('button', { name: 'More actions' }).click({ timeout: 3_000 });
            await menu.getByRole('menuitem', { name: command }).click({ timeout: 3_000 });
        });
    };
    return { page, space, tree, row, change, stored, press, choose };
}

/** Makes the window narrow, in which the tree is closed, and scrolls the document, as the keys of a telephone do. */
async function scrollNarrow(page, tree) {
    await page.setViewportSize({ width: 390, height: 844 });
    await tree.waitFor({ state: 'hidden' });
    await page.evaluate(async () => {
        document.body.style.minBlockSize = '200vh';
        const scrolled = new Promise((resolve) => document.addEventListener('scroll', resolve, { once: true }));
        scrollTo(0, 40);
        await scrolled;
    });
}

flow('tree', engines(), (bench) => {
    test('a new page is added and opened, and the main content stays', async () => {
        const { page, space, stored, change } = await begin(bench);
        await page.getByRole('button', { name: 'New page' }).click();
        await stored('Alpha, Beta [Beta child], Gamma, Delta, Untitled');
        await page.getByRole('heading', { name: 'Untitled', level: 1 }).waitFor();
        await page.getByRole('textbox', { name: 'Title' }).fill('Epsilon');
        await stored('Alpha, Beta [Beta child], Gamma, Delta, Epsilon');
        await page.getByRole('treegrid', { name: 'Pages' }).getByRole('row', { name: 'Epsilon' }).waitFor();
        assert.equal((await (await change()).pages()).at(-1).slug, 'epsilon', 'the address follows the title');
        assert.equal(titlesOf(await bench.api.pages(space.id)), 'Alpha, Beta [Beta child], Gamma, Delta');
    });

    test('the navigation of a narrow window takes the focus, and Escape gives it back', async () => {
        const { page, tree } = await begin(bench);
        await page.setViewportSize({ width: 390, height: 844 });
        for (const [opener, part] of [
            ['Open the list of pages', page.getByRole('complementary', { name: 'Pages' })],
            ['Open the navigation', page.getByRole('navigation', { name: 'Bindery' })],
        ]) {
            const button = page.getByRole('button', { name: opener });
            await button.focus();
            await page.keyboard.press('Enter');
            await eventually(async () => assert.ok(await part.evaluate((element) => element === document.activeElement)));
            await page.keyboard.press('Escape');
            await part.waitFor({ state: 'hidden' });
            await eventually(async () => assert.ok(await button.evaluate((element) => element === document.activeElement)));
        }
        await tree.waitFor({ state: 'hidden' });
    });

    test('F2 renames a page, and Escape does not', async () => {
        const { page, row, stored, press } = await begin(bench);
        await press('Gamma', 'F2');
        await page.getByRole('textbox', { name: 'Title of Gamma' }).fill('Not this');
        await page.keyboard.press('Escape');
        await row('Gamma').waitFor();
        await press('Gamma', 'F2');
        await page.getByRole('textbox', { name: 'Title of Gamma' }).fill('Third');
        await page.keyboard.press('Enter');
        await stored('Alpha, Beta [Beta child], Third, Delta');
    });

    test('Delete removes a page with those below it, and Undo brings them back', async () => {
        const { page, stored, press, space, change } = await begin(bench);
        await press('Beta', 'Delete');
        await stored('Alpha, Gamma, Delta');
        await page.getByText('“Beta” and 1 page below it are deleted').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await stored('Alpha, Beta [Beta child], Gamma, Delta');
        const text = await (await change()).markdown(space.pages['Beta child']);
        assert.match(text, /Words of a child\./, 'with the same ids and texts');
    });

    test('Alt, Shift and the arrows move a page', async () => {
        const { stored, press, row } = await begin(bench);
        await press('Delta', 'Alt+Shift+ArrowUp');
        await stored('Alpha, Beta [Beta child], Delta, Gamma');
        await press('Delta', 'Alt+Shift+ArrowRight');
        await stored('Alpha, Beta [Beta child, Delta], Gamma');
        await row('Delta').waitFor();
        await press('Delta', 'Alt+Shift+ArrowUp', 'Alt+Shift+ArrowLeft');
        await stored('Alpha, Beta [Beta child], Delta, Gamma');
        await press('Delta', 'Alt+Shift+ArrowDown');
        await stored('Alpha, Beta [Beta child], Gamma, Delta');
    });

    test('a page is dragged between two others, and into one', async () => {
        const { page, row, stored } = await begin(bench);
        await drag(page, row('Delta'), row('Beta'), { x: 0.5, y: 0.04 });
        await stored('Alpha, Delta, Beta [Beta child], Gamma');
        await drag(page, row('Gamma'), row('Alpha'), { x: 0.5, y: 0.5 });
        await stored('Alpha [Gamma], Delta, Beta [Beta child]');
    });

    test('the menu duplicates a page with its text', async () => {
        const { choose, stored, change } = await begin(bench);
        await choose('Alpha', 'Duplicate');
        await stored('Alpha, Alpha (copy), Beta [Beta child], Gamma, Delta');
        const copy = (await (await change()).pages())[1];
        assert.match(await (await change()).markdown(copy.id), /Words of alpha\./);
    });

    test('the menu hides a page from the navigation and shows it again', async () => {
        const { choose, change, row } = await begin(bench);
        await choose('Gamma', 'Hide from the navigation');
        const gamma = async () => (await (await change()).pages()).find(({ title }) => title === 'Gamma');
        await eventually(async () => assert.equal((await gamma()).hidden, true));
        await row('Gamma').getByText('hidden').waitFor();
        await choose('Gamma', 'Show in the navigation');
        await eventually(async () => assert.equal((await gamma()).hidden, false));
    });

    test('the menu adds a page inside, renames, moves and deletes', async () => {
        const { page, choose, stored } = await begin(bench);
        await choose('Gamma', 'New page inside');
        await stored('Alpha, Beta [Beta child], Gamma [Untitled], Delta');
        await choose('Delta', 'Rename');
        await page.getByRole('textbox', { name: 'Title of Delta' }).fill('Fourth');
        await page.keyboard.press('Enter');
        await stored('Alpha, Beta [Beta child], Gamma [Untitled], Fourth');
        await choose('Fourth', 'Move up');
        await stored('Alpha, Beta [Beta child], Fourth, Gamma [Untitled]');
        await choose('Alpha', 'Delete');
        await stored('Beta [Beta child], Fourth, Gamma [Untitled]');
    });

    test('the options of a page change its slug and its description', async () => {
        const { page, choose, change } = await begin(bench);
        await choose('Gamma', 'Page options');
        const panel = page.getByRole('complementary', { name: 'Page options' });
        await panel.getByRole('textbox', { name: 'Slug' }).fill('third');
        await page.keyboard.press('Enter');
        await panel.getByRole('textbox', { name: 'Description' }).fill('About the third letter');
        await page.keyboard.press('Tab');
        await eventually(async () => {
            const gamma = (await (await change()).pages()).find(({ title }) => title === 'Gamma');
            assert.deepEqual([gamma.slug, gamma.description], ['third', 'About the third letter']);
        });
    });

    test('the tree is walked with the keys, and Enter opens a page', async () => {
        const { page, row, press, space } = await begin(bench);
        await press('Alpha', 'ArrowDown', 'ArrowRight', 'ArrowDown');
        await row('Beta child').and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => url.pathname.endsWith(`/${space.pages['Beta child']}`));
        await page.getByText('Words of a child.').waitFor();
    });

    test('the tree has its rows after a narrow window was scrolled', async () => {
        const { page, tree, row } = await begin(bench);
        await scrollNarrow(page, tree);
        await page.setViewportSize({ width: 1440, height: 900 });
        await row('Alpha').waitFor();
        await row('Delta').waitFor();
    });

    test('the tree that opens over a narrow window has its rows after it was scrolled', async () => {
        const { page, tree, row } = await begin(bench);
        await scrollNarrow(page, tree);
        await page.getByRole('button', { name: 'Open the list of pages' }).click();
        await row('Alpha').waitFor();
        await row('Delta').waitFor();
    });
});
