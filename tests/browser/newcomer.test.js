// From an empty folder to a published page, with nothing but the screens.
import { test } from 'node:test';
import { engines } from './lib/database.js';
import { cursor, insertBlock, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';
import { TOKEN } from './lib/server.js';

/** Signs in on the page that a new server shows to everybody. */
async function signIn(page, address) {
    await page.goto(`${address}/app`);
    await page.getByText('Sign in with a token').click();
    await page.getByLabel('Personal token').fill(TOKEN);
    await page.getByLabel('Personal token').press('Enter');
    await page.getByRole('heading', { name: 'My organization' }).waitFor();
}

async function createSpace(page) {
    await page.getByRole('button', { name: 'New space' }).first().click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Handbook');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('This space has no pages yet').waitFor();
}

async function writeFirstPage(page) {
    await page.getByRole('button', { name: 'New page' }).first().click();
    await page.getByRole('heading', { name: 'Untitled', level: 1 }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Getting started');
    await cursor(page, 'end');
    await page.keyboard.type('Our first words.');
    await page.keyboard.press('Enter');
    await insertBlock(page, 'Hint');
    await page.keyboard.type('Mind the gap.');
    await page.getByRole('article').getByRole('status').getByText('Saved', { exact: true }).waitFor();
}

async function merge(page) {
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText(/^Change request \d+ was merged\.$/).waitFor();
    await textOf(page).getByText('Mind the gap.').waitFor();
}

async function publish(page) {
    await page.getByRole('link', { name: 'Sites', exact: true }).first().click();
    await page.getByRole('button', { name: 'New site' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New site' });
    await dialog.getByRole('checkbox', { name: 'Handbook' }).press('Space');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('The site is published').waitFor();
}

flow('the newcomer', engines(), (bench) => {
    test('an empty folder becomes a published page', async () => {
        const page = await bench.visit();
        await signIn(page, bench.server.address);
        await createSpace(page);
        await writeFirstPage(page);
        await merge(page);
        await publish(page);
        const opened = page.waitForEvent('popup');
        await page.getByRole('link', { name: 'Open site' }).first().click();
        const reader = await opened;
        await reader.getByRole('heading', { name: 'Getting started' }).waitFor();
        await reader.getByText('Our first words.').waitFor();
        await reader.getByText('Mind the gap.').waitFor();
    });
});
