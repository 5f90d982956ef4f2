// A site is made from a space and published; readers see what is merged, and nothing after it went offline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { flow } from './lib/flow.js';

const PAGES = [
    { title: 'Welcome', markdown: 'Words for readers.' },
    { title: 'Second page', markdown: 'More words.' },
];

/** Makes a site without spaces on the screens and returns its page. */
async function newSite(bench, title) {
    const page = await bench.signIn();
    await page.goto(bench.address());
    await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
    await page.getByRole('button', { name: 'New site' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New site' });
    await dialog.getByRole('textbox', { name: 'Title' }).fill(title);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: title }).waitFor();
    return page;
}

/** Adds a space to the open site. */
async function addSpace(page, title) {
    await page.getByRole('button', { name: 'Add space' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add space' });
    await dialog.getByRole('button', { name: /Space/ }).first().press('Enter');
    await page.getByRole('option', { name: title }).click();
    await dialog.getByRole('button', { name: 'Add space' }).click();
    await dialog.waitFor({ state: 'detached' });
}

flow('sites', engines(), (bench) => {
    test('a new site is published with a space, and a reader without an account sees it', async () => {
        await bench.api.createSpace('Manual', PAGES);
        const page = await newSite(bench, 'Public manual');
        const publish = page.getByRole('button', { name: 'Publish', exact: true });
        assert.ok(await publish.isDisabled(), 'a site without a space cannot be published');
        await addSpace(page, 'Manual');
        await publish.click();
        await page.getByText('The site is published').waitFor();
        const address = await page.getByRole('link', { name: 'Open site' }).first().getAttribute('href');

        const reader = await bench.visit();
        await reader.goto(address);
        await reader.getByRole('heading', { name: 'Welcome' }).waitFor();
        await reader.getByText('Words for readers.').waitFor();
        await reader.getByRole('link', { name: 'Second page' }).first().click();
        await reader.getByText('More words.').waitFor();
    });

    test('a logo is uploaded, saved and shown to readers', async () => {
        await bench.api.createSpace('Branded', PAGES);
        const page = await newSite(bench, 'Branded docs');
        await addSpace(page, 'Branded');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        const address = await page.getByRole('link', { name: 'Open site' }).first().getAttribute('href');
        await page.getByRole('link', { name: 'Look', exact: true }).click();
        const upload = async (name, bytes) => {
            const chooser = page.waitForEvent('filechooser');
            await page.getByRole('button', { name: 'Upload: Logo', exact: true }).click();
            await (await chooser).setFiles({ name, mimeType: 'image/svg+xml', buffer: Buffer.from(bytes) });
        };
        await upload('logo.svg', 'no picture');
        await page.getByText('allowed: PNG, JPEG, GIF, WebP, AVIF and SVG').waitFor();
        await upload('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><circle cx="20" cy="20" r="18" fill="#345"/></svg>');
        const field = page.getByRole('textbox', { name: 'Logo', exact: true });
        await eventually(async () => assert.match(await field.inputValue(), /\/~storage\/\w{20}$/));
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('All changes are saved').waitFor();
        const reader = await bench.visit();
        await eventually(async () => {
            await reader.goto(address);
            const logo = reader.locator(`img[src="${await field.inputValue()}"]`).first();
            assert.equal(await logo.evaluate((image) => image.naturalWidth), 40);
        });
    });

    test('what is merged appears on the site', async () => {
        const space = await bench.api.createSpace('News', PAGES);
        const page = await newSite(bench, 'Newspaper');
        await addSpace(page, 'News');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        const address = await page.getByRole('link', { name: 'Open site' }).first().getAttribute('href');
        const change = await bench.api.startChange(space.id);
        await change.write([{ operation: 'update_page', page: space.pages.Welcome, document: { markdown: 'Fresh words.' } }]);
        const reader = await bench.visit();
        await reader.goto(address);
        assert.equal(await reader.getByText('Fresh words.').count(), 0);
        await change.merge();
        await eventually(async () => {
            await reader.reload();
            assert.equal(await reader.getByText('Fresh words.').count(), 1);
        });
    });

    test('a site that is taken offline is gone for readers, and Undo brings it back', async () => {
        await bench.api.createSpace('Gone', PAGES);
        const page = await newSite(bench, 'Offline');
        await addSpace(page, 'Gone');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        const address = await page.getByRole('link', { name: 'Open site' }).first().getAttribute('href');
        await page.getByRole('button', { name: 'Unpublish' }).click();
        await page.getByText('The site is offline').waitFor();
        const status = async () => (await fetch(address)).status;
        assert.equal(await status(), 404);
        await page.getByRole('button', { name: 'Undo' }).click();
        await eventually(async () => assert.equal(await status(), 200));
    });

    test('the audience of a site is changed to share links', async () => {
        await bench.api.createSpace('Partners', PAGES);
        const page = await newSite(bench, 'For partners');
        await addSpace(page, 'Partners');
        await page.getByRole('button', { name: 'Publish', exact: true }).click();
        const address = await page.getByRole('link', { name: 'Open site' }).first().getAttribute('href');
        await page.getByRole('link', { name: 'Audience', exact: true }).click();
        await page.getByRole('button', { name: /Readers|Audience/ }).first().press('Enter');
        await page.getByRole('option', { name: /^Share link/ }).click();
        await page.getByText('The audience is now: Share link').waitFor();
        await eventually(async () => assert.equal((await fetch(address)).status, 404));
    });
});
