// People learn that others mentioned them, answered them, asked for a review or decided.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { flow } from './lib/flow.js';
import { postAs } from './lib/person.js';

/** Returns the bell beside the navigation, with a number of unread notifications. */
const bell = (page, unread) => page.getByRole('button', { name: unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`, exact: true });

/** Opens the list beside the bell. */
async function openBell(page, unread) {
    await bell(page, unread).click();
    const list = page.getByRole('dialog', { name: 'Notifications' });
    await list.getByRole('listitem').first().waitFor();
    return list;
}

/** Starts a change request that changes many blocks, and returns what the tests do with it. */
async function begin(bench) {
    const { api } = bench;
    const words = (last) => Array.from({ length: 40 }, (_, at) => `Block ${at} ${last}.`).join('\n\n');
    const space = await api.createSpace('Docs', [{ title: 'Guide', markdown: words('before') }]);
    const change = await api.startChange(space.id, 'Fix the guide');
    await change.write([{ operation: 'update_page', page: space.pages.Guide, document: { markdown: words('after') } }]);
    const path = `/spaces/${space.id}/change-requests/${change.number}`;
    return { space, change, path, review: bench.address('s', space.id, '~', 'changes', change.number, '~', 'review') };
}

/** Invites a person, and returns their page with the id of their user. */
async function person(bench, name, role) {
    const page = await bench.member(name, role);
    const { items } = await bench.api.get(`/orgs/${bench.organization}/members?search=${name}`);
    return { page, id: items.find(({ user }) => user.displayName === name).user.id };
}

/** Has the owner post comments that mention a person. */
async function mention(bench, { path }, { id }, texts) {
    for (const text of texts) {
        await bench.api.post(`${path}/comments`, { body: { markdown: `${text} [B](https://app.gitbook.com/u/${id} "mention")` } });
    }
}

flow('notifications', engines(), (bench) => {
    test('a person who is mentioned beside a change is led to the comment', async () => {
        const bea = await person(bench, 'Bea', 'comment');
        const { review, space, change } = await begin(bench);
        const page = await bench.signIn();
        await page.goto(review);
        await page.getByRole('article', { name: 'Guide' }).getByText('Block 38 ').click();
        await page.getByRole('button', { name: 'Comment on this block' }).nth(38).click();
        await page.getByRole('textbox', { name: 'Text of the comment' }).pressSequentially('Look at this, @Be');
        await page.getByRole('option', { name: 'Bea' }).click();
        await page.keyboard.press('Control+Enter');
        await eventually(async () => assert.equal((await change.comments()).length, 1));

        await bea.page.goto(bench.address());
        const list = await openBell(bea.page, 1);
        await list.getByText('Look at this').waitFor();
        await list.getByRole('link', { name: 'Administrator mentioned you in Fix the guide' }).click();
        await bea.page.waitForURL(new RegExp(`/s/${space.id}/~/changes/${change.number}/~/review\\?comment=`));
        const comment = bea.page.getByRole('article', { name: 'Comment of Administrator' }).and(bea.page.locator(':focus'));
        await comment.getByText('Look at this').waitFor();
        await eventually(async () => {
            const { y } = await comment.boundingBox();
            assert.ok(y > 0 && y < 900, `the comment is at ${y} px`);
        });
        await bell(bea.page, 0).waitFor();
        await bea.page.reload();
        await bell(bea.page, 0).waitFor();
    });

    test('a reply in the main content leads to its page', async () => {
        const { page } = await person(bench, 'Carl', 'comment');
        const other = await bench.api.createSpace('Notes', [{ title: 'First' }, { title: 'Second', markdown: 'Words.' }]);
        const { id } = await postAs(page, bench.server.address, `/spaces/${other.id}/comments`, { page: other.pages.Second, body: { markdown: 'A question' } });
        await bench.api.post(`/spaces/${other.id}/comments/${id}/replies`, { body: { markdown: 'An answer' } });
        await page.goto(bench.address());
        const list = await openBell(page, 1);
        await list.getByRole('link', { name: 'Administrator replied to a comment on Notes' }).press('Enter');
        await page.waitForURL(new RegExp(`/s/${other.id}/${other.pages.Second}\\?comment=`));
        const reply = page.getByRole('article', { name: 'Comment of Administrator' }).and(page.locator(':focus'));
        await reply.getByText('An answer').waitFor();
    });

    test('a person who is asked for a review approves, and the author learns it', async () => {
        const dora = await person(bench, 'Dora', 'review');
        const { path, review } = await begin(bench);
        await bench.api.post(`${path}/requested-reviewers`, { users: [dora.id] });
        await dora.page.goto(bench.address());
        const list = await openBell(dora.page, 1);
        await list.getByRole('link', { name: 'Administrator asked you to review Fix the guide' }).click();
        await dora.page.waitForURL(review);
        await dora.page.getByRole('button', { name: 'Approve' }).click();
        await dora.page.getByText('The review was sent.').waitFor();
        const page = await bench.signIn();
        await page.goto(bench.address('notifications'));
        await page.getByRole('link', { name: 'Dora approved Fix the guide' }).waitFor();
    });

    test('notifications are marked as read one by one, as unread again, and all at once', async () => {
        const eve = await person(bench, 'Eve', 'comment');
        await mention(bench, await begin(bench), eve, ['First', 'Second', 'Third']);
        const { page } = eve;
        await page.goto(bench.address('notifications'));
        const items = page.getByRole('main').getByRole('listitem');
        await items.filter({ hasText: 'Second' }).getByRole('button', { name: 'Mark as read' }).click();
        await bell(page, 2).waitFor();
        await page.getByRole('radio', { name: 'Unread' }).click();
        await items.filter({ hasText: 'Second' }).waitFor({ state: 'detached' });
        await page.getByRole('radio', { name: 'All' }).click();
        await items.filter({ hasText: 'Second' }).getByRole('button', { name: 'Mark as unread' }).click();
        await bell(page, 3).waitFor();
        await page.getByRole('button', { name: 'Mark all as read' }).click();
        await bell(page, 0).waitFor();
        await page.reload();
        await bell(page, 0).waitFor();
        await eventually(async () => assert.equal(await items.count(), 3));
    });

    test('the list beside the bell is used with the keys', async () => {
        const finn = await person(bench, 'Finn', 'comment');
        await mention(bench, await begin(bench), finn, ['Older', 'Newer']);
        const { page } = finn;
        await page.goto(bench.address());
        await bell(page, 2).press('Enter');
        const focused = page.getByRole('dialog', { name: 'Notifications' }).getByRole('link').and(page.locator(':focus'));
        await focused.filter({ hasText: 'Newer' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await focused.filter({ hasText: 'Older' }).waitFor();
        await page.keyboard.press('Escape');
        await bell(page, 2).and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Control+k');
        await page.keyboard.type('notifications');
        await page.getByRole('option', { name: 'Notifications' }).click();
        await page.getByRole('heading', { name: 'Notifications' }).waitFor();
    });

    test('the list goes on while it is scrolled', async () => {
        const gus = await person(bench, 'Gus', 'comment');
        await mention(bench, await begin(bench), gus, Array.from({ length: 30 }, (_, at) => `Number ${at},`));
        await gus.page.goto(bench.address('notifications'));
        await gus.page.getByText('Number 29,').waitFor();
        await gus.page.mouse.wheel(0, 10_000);
        await gus.page.getByText('Number 0,').waitFor();
    });

    test('at the width of a telephone, the bell leads to the page', async () => {
        const hana = await person(bench, 'Hana', 'comment');
        await mention(bench, await begin(bench), hana, ['A word']);
        await hana.page.setViewportSize({ width: 390, height: 844 });
        await hana.page.goto(bench.address());
        await hana.page.getByRole('link', { name: 'Notifications, 1 unread' }).click();
        await hana.page.getByRole('heading', { name: 'Notifications' }).waitFor();
        await hana.page.getByRole('link', { name: 'mentioned you in Fix the guide' }).click();
        await hana.page.getByRole('article', { name: 'Comment of Administrator' }).and(hana.page.locator(':focus')).waitFor();
        await hana.page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
    });

    test('mail about notifications is turned off and on', async () => {
        const { page } = await person(bench, 'Ivo', 'read');
        await page.goto(bench.address('settings', 'profile'));
        const mail = page.getByRole('switch', { name: 'Send notifications by mail too' });
        const isMailed = async () => (await (await page.request.get(`${bench.server.address}/v1/bindery/user/notification-settings`)).json()).mail;
        for (const expected of [false, true]) {
            await mail.press('Space');
            await eventually(async () => assert.equal(await isMailed(), expected));
            await eventually(async () => assert.equal(await mail.isChecked(), expected));
        }
    });
});
