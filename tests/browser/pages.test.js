// Pages beside their texts: groups, links, icons, layout, references, files and languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Opens a page of a change request and returns what the tests use. */
async function begin(bench) {
    const space = await bench.api.createSpace('Handbook', [{ title: 'Start', markdown: '## Heading one\n\nText.' }, { title: 'Other page' }]);
    const change = await bench.api.startChange(space.id, 'Work');
    const page = await bench.signIn();
    const address = bench.address('s', space.id, '~', 'changes', change.number);
    await page.goto(`${address}/${space.pages.Start}`);
    await textOf(page).getByText('Text.', { exact: true }).waitFor();
    const pageNamed = async (title) => (await change.pages()).find((one) => one.title === title);
    return { page, space, change, address, pageNamed };
}

async function newLink(page, title, url) {
    await page.getByRole('button', { name: 'New group or link' }).click();
    await page.getByRole('menuitem', { name: 'New link' }).click();
    await page.getByRole('textbox', { name: 'Title of the link' }).fill(title);
    await page.getByRole('textbox', { name: 'Address' }).fill(url);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
}

flow('pages', engines(), (bench) => {
    test('a group is made', async () => {
        const { page, pageNamed } = await begin(bench);
        await page.getByRole('button', { name: 'New group or link' }).click();
        await page.getByRole('menuitem', { name: 'New group' }).click();
        await page.getByRole('textbox', { name: 'Title of the group' }).fill('Guides');
        await page.keyboard.press('Enter');
        await page.getByRole('row', { name: 'Guides' }).waitFor();
        assert.equal((await pageNamed('Guides')).type, 'group');
    });

    test('a refused link is corrected, and gets another address later', async () => {
        const { page, pageNamed } = await begin(bench);
        await newLink(page, 'Forum', 'javascript:alert(1)');
        await page.getByText('allowed: an address that begins with').waitFor();
        await page.getByRole('textbox', { name: 'Address' }).fill('https://forum.example.org');
        await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
        const row = page.getByRole('row', { name: 'Forum' });
        await row.hover();
        await row.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Page options' }).click();
        const address = page.getByRole('textbox', { name: 'Address' });
        await address.fill('https://other.example.org');
        await address.press('Enter');
        await eventually(async () => assert.equal((await pageNamed('Forum')).target.url, 'https://other.example.org'));
    });

    test('an icon and the layout are chosen beside the text', async () => {
        const { page, pageNamed } = await begin(bench);
        await page.getByRole('button', { name: 'Page options' }).first().click();
        await page.getByRole('button', { name: 'Choose an icon' }).click();
        await page.getByRole('searchbox', { name: 'Search icons' }).or(page.getByRole('textbox', { name: 'Search icons' })).fill('rocket');
        await page.getByRole('option', { name: 'rocket', exact: true }).click();
        await eventually(async () => assert.equal((await pageNamed('Start')).icon, 'rocket'));
        await page.getByRole('switch', { name: 'Outline' }).press('Space');
        await eventually(async () => assert.equal((await pageNamed('Start')).layout.outline, false));
    });

    for (const [what, typed, option, written] of [
        ['a page', '@Other', 'Other page', /\[Other page\]\([^)]*other-page/],
        ['a heading', '[[Heading', 'Heading one', /\(#heading-one\)/],
        ['a person', '@Admin', 'Administrator', /app\.gitbook\.com\/u\/\w+ "mention"/],
    ]) {
        test(`a text refers to ${what}`, async () => {
            const { page, space, change } = await begin(bench);
            await textOf(page).getByText('Text.', { exact: true }).click();
            await page.keyboard.press('End');
            await page.keyboard.type(` ${typed}`);
            await page.getByRole('option', { name: option }).first().click();
            await eventually(async () => assert.match(await change.markdown(space.pages.Start), written));
        });
    }

    test('a file of several megabytes is uploaded', async () => {
        const { page, address } = await begin(bench);
        await page.goto(`${address}/~/files`);
        const chosen = page.waitForEvent('filechooser');
        await page.getByRole('button', { name: 'Upload files' }).first().click();
        await (await chosen).setFiles({ name: 'plan.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3_000_000, 7) });
        await page.getByText('plan.bin').first().waitFor();
    });

    test('the interface speaks another language', async () => {
        const page = await bench.signIn();
        await page.goto(bench.address('settings', 'profile'));
        await page.getByRole('button', { name: 'Language' }).click();
        await page.getByRole('option', { name: 'Français' }).click();
        await page.getByRole('link', { name: 'Demandes de modification' }).waitFor();
        await page.reload();
        await page.getByRole('link', { name: 'Demandes de modification' }).waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), 'fr');
    });
});
