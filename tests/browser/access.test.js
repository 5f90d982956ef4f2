// Every screen can be used by everybody: axe finds no fault, in light and dark, and nothing scrolls sideways.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf } from './lib/axe.js';
import { flow } from './lib/flow.js';
import { postAs } from './lib/person.js';
import { quiet, watchRequests } from './lib/quiet.js';

const EVERY_BLOCK = [
    'Words with a [link](https://example.org) and `code`.\n\n## Heading\n\n* one\n* two\n\n- [ ] open',
    '{% hint style="warning" %}\nA hint\n{% endhint %}\n\n| Name | Value |\n| --- | --- |\n| a | 1 |',
    '{% tabs %}\n{% tab title="One" %}\nFirst\n{% endtab %}\n{% endtabs %}\n\n```js\nlet x = 1;\n```\n\n> A quote',
    '<details>\n\n<summary>More</summary>\n\nInside\n\n</details>\n\n$$\nx^2\n$$',
].join('\n\n');

const MISTAKE = '{% if visitor.claims.isBeta == %}\nInside\n{% endif %}';

const WIDTHS = [390, 1440, 1920];

/** Returns the address of each screen, with a space, a change request, a team and a site on them. */
async function screens(bench) {
    const { api, organization } = bench;
    const space = await api.createSpace('Handbook', [
        { title: 'Start', markdown: EVERY_BLOCK, pages: [{ title: 'Below' }] },
        { title: 'A page with a title that is long enough to be shortened in the tree' },
    ]);
    const change = await api.startChange(space.id, 'Better words');
    await change.write([{ operation: 'update_page', page: space.pages.Start, document: { markdown: `Other words.\n\n${MISTAKE}\n\n${EVERY_BLOCK}` } }]);
    // A notification of the owner, and a problem in the text.
    const nora = await bench.member('Nora', 'comment');
    await postAs(nora, bench.server.address, `/spaces/${space.id}/change-requests/${change.number}/comments`, { body: { markdown: 'A question' } });
    await api.call('PUT', `/orgs/${organization}/teams`, { title: 'Writers' });
    const site = await api.post(`/orgs/${organization}/sites`, { title: 'Manual', visibility: 'public', spaces: [space.id] });
    const inSpace = (...path) => bench.address('s', space.id, ...path);
    const inChange = (...path) => inSpace('~', 'changes', change.number, ...path);
    const settings = ['general', 'merge-rules', 'profile', 'tokens', 'audit', 'jobs'];
    const ofSpace = ['general', 'access', 'git', 'git/connection', 'content', 'links'];
    const views = ['', 'structure', 'look', 'audience', 'share-links', 'addresses', 'search', 'insights', 'people', 'settings'];
    return [
        ['home', bench.address()],
        ['change requests', bench.address('changes')],
        ['notifications', bench.address('notifications')],
        ['members', bench.address('members')],
        ['teams', bench.address('members', 'teams')],
        ['invitations', bench.address('members', 'invitations')],
        ['page', inSpace(space.pages.Start)],
        ['editor', inChange(space.pages.Start)],
        ['review', inChange('~', 'review')],
        ['change requests of a space', inSpace('~', 'changes')],
        ['history', inSpace('~', 'history')],
        ['files', inSpace('~', 'files')],
        ...settings.map((view) => [`settings: ${view}`, bench.address('settings', view)]),
        ...ofSpace.map((view) => [`settings of a space: ${view}`, inSpace('~', 'settings', view)]),
        ['sites', bench.address('sites')],
        ...views.map((view) => [`site: ${view || 'overview'}`, bench.address('sites', site.id, ...(view ? [view] : []))]),
    ];
}

/** Opens a screen and waits until it has loaded what it shows. */
async function open(page, address) {
    watchRequests(page);
    await page.goto(address);
    await quiet(page);
    await page.getByRole('heading').first().waitFor({ state: 'attached' });
    await page.getByText('Loading…').waitFor({ state: 'detached' });
}

/** Returns the widths at which a screen scrolls sideways. */
async function wideAt(page) {
    const found = [];
    for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const reached = await page.evaluate(() => {
            scrollTo(9999, 0);
            return scrollX;
        });
        if (reached > 0) {
            found.push(`${width} px: sideways by ${reached} px`);
        }
    }
    return found;
}

// The screens are the same on both databases, and axe takes most of the time of a run.
flow('accessibility', ['SQLite'], (bench) => {
    test('no screen has a fault, in light, in dark and at every width', async () => {
        const page = await bench.signIn();
        const faults = {};
        for (const [name, address] of await screens(bench)) {
            await open(page, address);
            const found = [...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark')), ...(await wideAt(page))];
            if ((await page.getByText('This page does not exist').count()) > 0) {
                found.push('the screen does not exist');
            }
            await page.setViewportSize({ width: 1440, height: 900 });
            if (found.length > 0) {
                faults[name] = found;
            }
        }
        assert.deepEqual(faults, {});
    });

    test('the pages for signing in have no fault', async () => {
        const page = await bench.visit();
        await open(page, `${bench.server.address}/app/sign-in`);
        assert.deepEqual([...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark')), ...(await wideAt(page))], []);
    });

    test('the dialogs and menus have no fault', async () => {
        const page = await bench.signIn();
        await open(page, bench.address());
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
        assert.deepEqual([...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark'))], []);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: /^Notifications/ }).click();
        await page.getByRole('dialog', { name: /^Notifications/ }).getByRole('link').first().waitFor();
        assert.deepEqual([...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark'))], []);
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'New space' }).first().click();
        await page.getByRole('dialog', { name: 'New space' }).waitFor();
        assert.deepEqual([...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark'))], []);
    });

    test('the first key leads past the navigation', async () => {
        const page = await bench.signIn();
        await open(page, bench.address());
        await page.keyboard.press('Tab');
        await page.getByRole('link', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
    });
});
