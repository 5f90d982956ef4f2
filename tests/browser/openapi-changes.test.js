// The changes between versions of a specification are read, overlays change it, and a hook has it read again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { flow } from './lib/flow.js';

const SHIPS = `openapi: 3.1.0
info: {title: Ships, version: "1"}
paths:
  /ships:
    get:
      operationId: listShips
      summary: List ships
      parameters:
        - {name: flag, in: query, schema: {type: string}}
      responses: {"200": {description: ok}}
  /harbours:
    get: {summary: List harbours, responses: {"200": {description: ok}}}
`;
const WITHOUT_FLAG = SHIPS.replace(/ {6}parameters:\n.*\n/, '');
const WITH_DOCKS = `${WITHOUT_FLAG}  /docks:\n    get: {summary: List docks, responses: {"200": {description: ok}}}\n`;
const OVERLAY = `overlay: 1.0.0
info: {title: Other words, version: "1"}
actions:
  - target: $.paths['/ships'].get
    update: {summary: All vessels}
`;

const pathOf = (bench, slug) => `/orgs/${bench.organization}/openapi/${slug}`;

async function isRead(bench, slug) {
    await eventually(async () => assert.equal((await bench.api.get(pathOf(bench, slug))).processingState, 'complete'));
}

/** Adds a specification by the API with versions of some texts, and returns their ids, newest first. */
async function addVersions(bench, slug, texts) {
    for (const text of texts) {
        await bench.api.call('PUT', pathOf(bench, slug), { source: { text } });
        await isRead(bench, slug);
    }
    const versions = (await bench.api.get(`${pathOf(bench, slug)}/versions`)).items.map(({ id }) => id);
    assert.equal(versions.length, texts.length);
    return versions;
}

/** Opens a specification, or the changes of one of its versions. */
async function open(bench, slug, version) {
    const page = await bench.signIn();
    await page.goto(bench.address('openapi', slug, ...(version === undefined ? [] : ['changes', version])));
    await page.getByRole('heading', { name: version === undefined ? slug : 'Changes', exact: true }).waitFor();
    return page;
}

const overlaysOf = async (bench, slug) => (await bench.api.get(`/bindery${pathOf(bench, slug)}/overlays`)).items.map(({ source }) => source);

flow('Changes of API specifications', engines(), (bench) => {
    test('versions tell their changes, which have a screen of their own', async () => {
        const [newest] = await addVersions(bench, 'changed', [SHIPS, WITHOUT_FLAG]);
        const page = await open(bench, 'changed');
        await page.getByRole('heading', { name: 'Versions' }).scrollIntoViewIfNeeded();
        await page.getByText('First version').waitFor();
        await page.getByRole('link', { name: '1 warning' }).click();
        await page.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
        assert.equal(new URL(page.url()).pathname, new URL(bench.address('openapi', 'changed', 'changes', newest)).pathname);
        const group = page.getByRole('region', { name: 'GET /ships listShips' });
        await group.getByText('The query parameter flag was removed').waitFor();
        await group.getByText('request-parameter-removed').waitFor();
        assert.equal(await page.getByRole('region', { name: 'GET /harbours' }).count(), 0);
    });

    test('changes are filtered by level and text, and the address keeps the filter', async () => {
        const [newest] = await addVersions(bench, 'filtered', [SHIPS, WITH_DOCKS]);
        const page = await open(bench, 'filtered', newest);
        const [ships, docks] = ['GET /ships listShips', 'GET /docks'].map((name) => page.getByRole('region', { name }));
        await ships.waitFor();
        await docks.waitFor();
        await page.getByRole('radio', { name: /^Warnings/ }).click();
        await docks.waitFor({ state: 'detached' });
        await page.getByText('Some programs that use the version before can fail.').waitFor();
        await page.reload();
        await ships.waitFor();
        assert.equal(await docks.count(), 0);

        await page.getByRole('button', { name: 'Clear filters' }).click();
        await page.getByRole('searchbox', { name: 'Search changes' }).fill('docks');
        await ships.waitFor({ state: 'detached' });
        await docks.waitFor();
        await page.getByRole('searchbox', { name: 'Search changes' }).fill('nowhere');
        await page.getByText('No change matches').waitFor();
    });

    test('changes are copied as Markdown', async () => {
        const [newest] = await addVersions(bench, 'listed', [SHIPS, WITHOUT_FLAG]);
        const page = await open(bench, 'listed', newest);
        // The clipboard is that of the machine, which other tests use.
        await page.evaluate(() => {
            navigator.clipboard.writeText = async (text) => {
                globalThis.copied = text;
            };
        });
        await page.getByRole('button', { name: 'Copy as Markdown' }).click();
        await page.getByText('Copied', { exact: true }).waitFor();
        const text = await page.evaluate(() => globalThis.copied);
        assert.match(text, /^# listed: Changes\n/);
        assert.match(text, /\n## GET `\/ships`\n\n- \*\*Warning:\*\* The query parameter `flag` was removed.* \(`request-parameter-removed`\)\n$/);
    });

    test('the first version has no changes, and an unknown one says so', async () => {
        const [only] = await addVersions(bench, 'single', [SHIPS]);
        const page = await open(bench, 'single', only);
        await page.getByText('There is no version before it.').waitFor();
        await page.goto(bench.address('openapi', 'single', 'changes', 'missing'));
        await page.getByText('This page does not exist').waitFor();
    });

    test('only a public specification has a feed of its changes', async () => {
        const [newest] = await addVersions(bench, 'fed', [SHIPS, WITHOUT_FLAG]);
        const page = await open(bench, 'fed', newest);
        await page.getByText('Public specifications also have an Atom feed').waitFor();
        await bench.api.call('PATCH', pathOf(bench, 'fed'), { visibility: 'public' });
        await page.reload();
        const address = await page.getByRole('link', { name: 'Atom feed' }).getAttribute('href');
        const feed = await fetch(address);
        assert.equal(feed.status, 200);
        assert.match(await feed.text(), /<feed [^>]*http:\/\/www\.w3\.org\/2005\/Atom/);
    });
});

flow('Overlays and hooks of API specifications', engines(), (bench) => {
    test('an overlay changes the description, which is read again', async () => {
        await addVersions(bench, 'overlaid', [SHIPS]);
        const page = await open(bench, 'overlaid');
        await page.getByRole('button', { name: 'Add overlay' }).click();
        await page.getByRole('radiogroup', { name: 'Source of overlay 1' }).getByRole('radio', { name: 'Text' }).click();
        await page.getByRole('textbox', { name: 'Text', exact: true }).fill(OVERLAY);
        await page.getByRole('button', { name: 'Save and read' }).click();
        await page.getByText('The overlays are saved.').waitFor();
        await page.getByText('Other words').waitFor();
        await eventually(async () => assert.equal((await bench.api.get(`${pathOf(bench, 'overlaid')}/versions`)).items.length, 2, 'the changed description is a version'));

        await page.getByRole('button', { name: 'Remove overlay 1' }).click();
        await page.getByRole('button', { name: 'Save and read' }).click();
        await eventually(async () => assert.deepEqual(await overlaysOf(bench, 'overlaid'), []));
    });

    test('an address that is refused shows why at its field', async () => {
        await addVersions(bench, 'refused', [SHIPS]);
        await bench.api.call('PUT', `/bindery${pathOf(bench, 'refused')}/overlays`, { overlays: [{ source: { text: OVERLAY } }] });
        const page = await open(bench, 'refused');
        await page.getByRole('button', { name: 'Add overlay' }).click();
        await page.getByRole('button', { name: 'Save and read' }).click();
        await page.getByText('Enter an address.').waitFor();
        const address = page.getByRole('textbox', { name: 'Address', exact: true });
        await address.fill('http://127.0.0.1/overlay.yaml');
        await page.getByRole('button', { name: 'Save and read' }).click();
        await page.getByText('loopback address').waitFor();
        assert.equal(await address.getAttribute('aria-invalid'), 'true');
        await page.getByRole('button', { name: 'Discard changes' }).click();
        await address.waitFor({ state: 'detached' });
        assert.deepEqual(await overlaysOf(bench, 'refused'), [{ text: OVERLAY }]);
    });

    test('overlays are moved with the keyboard', async () => {
        await addVersions(bench, 'moved', [SHIPS]);
        const other = OVERLAY.replace('Other words', 'Better words');
        await bench.api.call('PUT', `/bindery${pathOf(bench, 'moved')}/overlays`, { overlays: [OVERLAY, other].map((text) => ({ source: { text } })) });
        const page = await open(bench, 'moved');
        await page.getByRole('button', { name: 'Move overlay 2 up' }).press('Enter');
        await page.getByRole('status').filter({ hasText: 'Moved to place 1 of 2' }).waitFor();
        const down = page.getByRole('button', { name: 'Move overlay 1 down' });
        await eventually(async () => assert.equal(await down.evaluate((button) => button === document.activeElement), true, 'the focus moves with the overlay'));
        await page.getByRole('button', { name: 'Save and read' }).click();
        await eventually(async () => assert.deepEqual(await overlaysOf(bench, 'moved'), [{ text: other }, { text: OVERLAY }]));
    });

    test('a hook is created, called, replaced and removed', async () => {
        await addVersions(bench, 'hooked', [SHIPS]);
        const page = await open(bench, 'hooked');
        await page.getByRole('button', { name: 'Create hook' }).click();
        const token = await page.getByRole('textbox', { name: 'Token' }).inputValue();
        const address = await page.getByRole('textbox', { name: 'Address of the hook' }).inputValue();
        await page.getByText(`curl -X POST -H "X-Bindery-Token: ${token}" ${address}`).waitFor();
        const call = async () => (await fetch(address, { method: 'POST', headers: { 'X-Bindery-Token': token } })).status;
        const before = (await bench.api.get(pathOf(bench, 'hooked'))).lastProcessedAt;
        assert.ok((await call()) < 300);
        await eventually(async () => assert.notEqual((await bench.api.get(pathOf(bench, 'hooked'))).lastProcessedAt, before));

        await page.reload();
        await page.getByText('The token was shown when the hook was created.').waitFor();
        assert.equal(await page.getByRole('textbox', { name: 'Token' }).count(), 0);
        await page.getByRole('button', { name: 'Replace', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
        await page.getByText('Copy it now').waitFor();
        assert.notEqual(await page.getByRole('textbox', { name: 'Token' }).inputValue(), token);
        assert.ok((await call()) >= 400, 'the token before is refused');

        await page.getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('button', { name: 'Create hook' }).waitFor();
        assert.equal((await bench.api.get(`/bindery${pathOf(bench, 'hooked')}/hook`)).enabled, false);
    });

    test('people who cannot edit see overlays and change nothing', async () => {
        await addVersions(bench, 'read', [SHIPS]);
        await bench.api.call('PUT', `/bindery${pathOf(bench, 'read')}/overlays`, { overlays: [{ source: { text: OVERLAY } }] });
        const page = await bench.member('Grace', 'read');
        await page.goto(bench.address('openapi', 'read'));
        await page.getByText('Other words').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Add overlay' }).count(), 0);
        assert.equal(await page.getByRole('heading', { name: 'Read again from outside' }).count(), 0);
    });
});
