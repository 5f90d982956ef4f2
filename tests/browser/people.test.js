// People are invited, receive roles, and are collected in teams.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Chooses an option of a field with the keys. */
async function choose(field, page, name) {
    await field.press('Enter');
    await page.getByRole('option', { name }).click();
}

flow('people', engines(), (bench) => {
    test('a person is invited as an editor, accepts, and may edit but not invite', async () => {
        const page = await bench.signIn();
        await page.goto(bench.address());
        await page.getByRole('link', { name: 'Members' }).click();
        await page.getByRole('button', { name: 'Invite', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Invite people' });
        await dialog.getByRole('textbox', { name: 'Mail addresses' }).fill('no address');
        await dialog.getByText('Not a mail address: no, address').waitFor();
        await dialog.getByRole('textbox', { name: 'Mail addresses' }).fill('emma@example.org');
        await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
        await dialog.getByText('Invited', { exact: true }).waitFor();

        const emma = await bench.visit();
        await emma.goto(await bench.api.invitationAddress('emma@example.org'));
        await emma.getByRole('textbox', { name: 'Your name' }).fill('Emma');
        await emma.getByRole('button', { name: 'Accept' }).click();
        const space = await bench.api.createSpace('Handbook', [{ title: 'Start', markdown: 'Words.' }]);
        await emma.goto(bench.address('s', space.id));
        await emma.getByRole('button', { name: 'Edit', exact: true }).waitFor();
        await emma.goto(bench.address('members'));
        await emma.getByRole('link', { name: 'Emma' }).waitFor();
        assert.equal(await emma.getByRole('button', { name: 'Invite', exact: true }).count(), 0);
    });

    test('a reader reads and cannot edit, and may after the role was changed', async () => {
        const space = await bench.api.createSpace('Read', [{ title: 'Start', markdown: 'Words to read.' }]);
        const reader = await bench.member('Ron', 'read');
        await reader.goto(bench.address('s', space.id));
        await textOf(reader).getByText('Words to read.').waitFor();
        assert.equal(await reader.getByRole('button', { name: 'Edit', exact: true }).count(), 0);

        const page = await bench.signIn();
        await page.goto(bench.address('members'));
        await choose(page.getByRole('button', { name: 'Role of Ron' }), page, 'Editor');
        await page.getByText('Ron is now Editor').waitFor();
        await reader.reload();
        await reader.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    });

    test('a team is made, and people join and leave it', async () => {
        await bench.member('Tina', 'comment');
        const page = await bench.signIn();
        await page.goto(bench.address('members'));
        await page.getByRole('link', { name: 'Teams' }).click();
        await page.getByRole('button', { name: 'New team' }).click();
        await page.getByRole('textbox', { name: 'Name of the team' }).fill('Writers');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('heading', { name: 'Writers' }).waitFor();
        await page.getByRole('combobox', { name: 'Add a member' }).fill('Tina');
        await page.getByRole('option', { name: /Tina/ }).click();
        // The list stays open for the next person.
        await page.keyboard.press('Escape');
        const members = page.getByRole('list', { name: 'Members of the team' });
        await members.getByRole('link', { name: 'Tina' }).waitFor();
        const { items } = await bench.api.get(`/orgs/${bench.organization}/teams`);
        assert.deepEqual(items.map(({ title, members: count }) => [title, count]), [['Writers', 1]]);
        await page.getByRole('button', { name: 'Remove Tina from the team' }).click();
        await page.getByText('Tina left the team').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await members.getByRole('link', { name: 'Tina' }).waitFor();
    });

    test('a member is removed and loses all access', async () => {
        const leaver = await bench.member('Lena', 'edit');
        const page = await bench.signIn();
        await page.goto(bench.address('members'));
        await page.getByRole('link', { name: 'Lena' }).click();
        await page.getByRole('button', { name: 'Remove from the organization' }).click();
        await page.getByRole('alertdialog').or(page.getByRole('dialog')).getByRole('button', { name: /^Remove/ }).click();
        await eventually(async () => {
            const { items } = await bench.api.get(`/orgs/${bench.organization}/members`);
            assert.ok(!JSON.stringify(items).includes('lena@example.org'));
        });
        await leaver.reload();
        await leaver.getByText('You belong to no organization.').or(leaver.getByText('This page does not exist, or you have no access to it.')).first().waitFor();
    });
});
