// A specification is added, read, changed and deleted; a space shows its pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { changeNumber, textOf } from './lib/editor.js';
import { engines } from './lib/database.js';
import { flow } from './lib/flow.js';

const PETS = `openapi: 3.1.0
info: {title: Pet store, version: "1"}
tags:
  - {name: pets, description: All about pets}
  - {name: orders}
paths:
  /pets:
    get: {tags: [pets], summary: List pets, responses: {"200": {description: ok}}}
  /orders:
    get: {tags: [orders], summary: List orders, responses: {"200": {description: ok}}}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string}}}
`;

const BROKEN = 'openapi: 3.1.0\ninfo: {title: Broken\npaths:\n';

/** Opens the list of specifications from the navigation. */
async function openList(bench) {
    const page = await bench.signIn();
    await page.goto(bench.address());
    await page.getByRole('link', { name: 'API specifications' }).first().click();
    await page.getByRole('heading', { name: 'API specifications', exact: true }).waitFor();
    return page;
}

/** Opens the window that adds a specification from a text. */
async function openForm(page, text) {
    await page.getByRole('button', { name: 'Add specification' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Add specification' });
    await dialog.getByRole('radio', { name: 'Text' }).click();
    await dialog.getByRole('textbox', { name: 'Text' }).fill(text);
    return dialog;
}

/** Adds a specification by the API and waits until it was read. */
async function addSpec(bench, slug, text) {
    const path = `/orgs/${bench.organization}/openapi/${slug}`;
    await bench.api.call('PUT', path, { source: { text } });
    await eventually(async () => assert.equal((await bench.api.get(path)).processingState, 'complete'));
}

/** Creates a space with the pages of a specification and returns its id. */
async function createSpace(bench, title, spec) {
    const computedSource = { type: 'builtin:openapi', props: { models: true }, dependencies: { spec: { ref: { kind: 'openapi', spec } } } };
    return (await bench.api.post(`/orgs/${bench.organization}/spaces`, { title, computedSource })).id;
}

const rowOf = (page, name) => page.getByRole('treegrid', { name: 'Pages' }).getByRole('row', { name });

flow('API specifications', engines(), (bench) => {
    test('a specification is added by text, named after its title, and read', async () => {
        const page = await openList(bench);
        await page.getByText('No API specifications yet').waitFor();
        const dialog = await openForm(page, PETS);
        const slug = dialog.getByRole('textbox', { name: 'Short name' });
        assert.equal(await slug.inputValue(), 'pet-store');
        await slug.fill('Pet Store');
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await dialog.getByText('Use small letters').waitFor();
        await slug.fill('store');
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('heading', { name: 'store', exact: true }).waitFor();
        await page.getByText('Pages show the last version.').waitFor();
        await page.getByText('In use').waitFor();

        await page.getByRole('link', { name: 'API specifications' }).last().click();
        const again = await openForm(page, PETS);
        await again.getByRole('textbox', { name: 'Short name' }).fill('store');
        await again.getByRole('button', { name: 'Add', exact: true }).click();
        await again.getByText('There is already a specification named store.').waitFor();
    });

    test('a file gives the text and the name', async () => {
        const page = await openList(bench);
        await page.getByRole('button', { name: 'Add specification' }).first().click();
        const dialog = page.getByRole('dialog', { name: 'Add specification' });
        await dialog.getByRole('radio', { name: 'File' }).click();
        await dialog.getByRole('textbox', { name: 'Short name' }).fill('x');
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await dialog.getByText('Choose a file with a text.').waitFor();
        await dialog.getByRole('textbox', { name: 'Short name' }).fill('uploads');
        const chooser = page.waitForEvent('filechooser');
        await dialog.getByRole('button', { name: 'Choose file' }).click();
        await (await chooser).setFiles({ name: 'openapi.yaml', mimeType: 'application/yaml', buffer: Buffer.from(PETS) });
        await dialog.getByText('openapi.yaml').waitFor();
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('heading', { name: 'uploads', exact: true }).waitFor();
        await page.getByText('Pages show the last version.').waitFor();
    });

    test('an address that the server may not reach is refused at its field', async () => {
        const page = await openList(bench);
        await page.getByRole('button', { name: 'Add specification' }).first().click();
        const dialog = page.getByRole('dialog', { name: 'Add specification' });
        const address = dialog.getByRole('textbox', { name: 'Address' });
        await address.fill('http://127.0.0.1/apis/inner-pets.json');
        assert.equal(await dialog.getByRole('textbox', { name: 'Short name' }).inputValue(), 'inner-pets');
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await dialog.getByText('loopback address').waitFor();
        assert.equal(await address.getAttribute('aria-invalid'), 'true');
    });

    test('a broken text shows its error, and a better one replaces it', async () => {
        const page = await openList(bench);
        const dialog = await openForm(page, BROKEN);
        await dialog.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('heading', { name: 'broken', exact: true }).waitFor();
        await page.getByText('Not readable').waitFor();
        await page.getByText(/^line 3:\d+: this is not YAML/).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Read again' }).count(), 0, 'a text that was never readable is not kept');
        await page.goto(bench.address('openapi'));
        await page.getByRole('listitem').filter({ hasText: 'broken' }).getByText(/this is not YAML/).waitFor();

        await page.getByRole('link', { name: 'broken' }).click();
        await page.getByRole('button', { name: 'Change source' }).click();
        const change = page.getByRole('dialog', { name: 'Change source' });
        await change.getByRole('radio', { name: 'Text' }).click();
        await change.getByRole('textbox', { name: 'Text' }).fill(PETS);
        await change.getByRole('button', { name: 'Save and read' }).click();
        await page.getByText('Pages show the last version.').waitFor();
        assert.equal(await page.getByText(/this is not YAML/).count(), 0);

        // The text that was uploaded is there to be changed.
        await page.getByRole('button', { name: 'Change source' }).click();
        const text = change.getByRole('textbox', { name: 'Text' });
        assert.equal(await text.inputValue(), PETS);
        await text.fill(PETS.replace('List orders', 'All orders'));
        await change.getByRole('button', { name: 'Save and read' }).click();
        await eventually(async () => assert.equal(await page.getByRole('listitem').filter({ hasText: 'now' }).count(), 2, 'there are two versions'));
        assert.equal(await page.getByText('In use').count(), 1);
    });

    test('a specification is read again on request', async () => {
        await addSpec(bench, 'again', PETS);
        const path = `/orgs/${bench.organization}/openapi/again`;
        const before = (await bench.api.get(path)).lastProcessedAt;
        const page = await bench.signIn();
        await page.goto(bench.address('openapi', 'again'));
        await page.getByRole('button', { name: 'Read again' }).click();
        await eventually(async () => assert.notEqual((await bench.api.get(path)).lastProcessedAt, before));
        await page.getByText('Pages show the last version.').waitFor();
        assert.equal((await bench.api.get(`${path}/versions`)).items.length, 1, 'the same text is no new version');
    });

    test('a public specification has an address that everybody can read', async () => {
        await addSpec(bench, 'open', PETS);
        const page = await bench.signIn();
        await page.goto(bench.address('openapi', 'open'));
        await page.getByRole('button', { name: /Who can download it/ }).press('Enter');
        await page.getByRole('option', { name: /^Public/ }).click();
        const address = await page.getByRole('textbox', { name: 'Address of the file' }).inputValue();
        assert.equal((await fetch(address)).status, 200);
    });

    test('a space is created with the pages, which cannot be edited', async () => {
        await addSpec(bench, 'shown', PETS);
        const page = await bench.signIn();
        await page.goto(bench.address('openapi', 'shown'));
        await page.getByRole('button', { name: 'Create a space with its pages' }).click();
        const dialog = page.getByRole('dialog', { name: 'Create a space with its pages' });
        await dialog.getByRole('textbox', { name: 'Title' }).fill('Shown API');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await page.getByText('This page is made from the API specification shown').waitFor();
        await textOf(page).getByText('Version:').waitFor();
        assert.equal(await textOf(page).getAttribute('contenteditable'), 'false');
        assert.equal(await page.getByRole('button', { name: 'Edit', exact: true }).count(), 0);
        assert.equal(await page.getByRole('button', { name: 'Edit live' }).count(), 0);
        await rowOf(page, 'orders').waitFor();
        await rowOf(page, 'pets').click();
        await textOf(page).getByText('All about pets').waitFor();
        assert.equal(await textOf(page).getAttribute('contenteditable'), 'false');
        await rowOf(page, 'Models').getByRole('button', { name: 'More actions' }).click();
        assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Open', 'Copy link', 'Delete all pages of shown']);
        await page.keyboard.press('Escape');
        await page.getByRole('note').getByRole('link', { name: 'shown' }).click();
        await page.getByRole('heading', { name: 'shown', exact: true }).waitFor();
    });

    test('own pages stand before and after those of a specification, which are deleted together', async () => {
        await addSpec(bench, 'mixed', PETS);
        const space = await createSpace(bench, 'Mixed', 'mixed');
        const page = await bench.signIn();
        await page.goto(bench.address('s', space));
        await rowOf(page, 'Models').waitFor();
        await page.getByRole('button', { name: 'New page' }).click();
        const number = await changeNumber(page);
        const change = bench.api.change(space, number);
        const titles = async () => (await change.pages()).map(({ title }) => title);
        await eventually(async () => assert.deepEqual(await titles(), ['pets', 'orders', 'Models', 'Untitled']));
        // The page has the focus of its title, which is beside the tree.
        await rowOf(page, 'Untitled').waitFor();
        await eventually(async () => {
            await rowOf(page, 'Untitled').focus();
            await page.keyboard.press('Alt+Shift+ArrowUp');
            assert.deepEqual(await titles(), ['Untitled', 'pets', 'orders', 'Models']);
        });
        await rowOf(page, 'Models').getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete all pages of mixed' }).click();
        await eventually(async () => assert.deepEqual(await titles(), ['Untitled']));
        await page.getByRole('button', { name: 'Undo' }).click();
        await eventually(async () => assert.deepEqual(await titles(), ['Untitled', 'pets', 'orders', 'Models']));
        await rowOf(page, 'Models').waitFor();
    });

    test('the pages of a specification that does not exist appear when it was read', async () => {
        await addSpec(bench, 'early', BROKEN);
        const space = await createSpace(bench, 'Early', 'early');
        await bench.api.call('DELETE', `/orgs/${bench.organization}/openapi/early`);
        const page = await bench.signIn();
        await page.goto(bench.address('s', space));
        await page.getByText('The pages of an API specification belong here: early').waitFor();
        await page.getByText('There is no specification with this name.').waitFor();
        await addSpec(bench, 'early', PETS);
        await page.getByRole('link', { name: 'Open the API specifications' }).click();
        await page.getByRole('link', { name: 'early', exact: true }).waitFor();
        await page.goBack();
        await rowOf(page, 'orders').waitFor();
        await page.getByText('This page is made from the API specification early').waitFor();
    });

    test('a deleted specification takes its pages with it', async () => {
        await addSpec(bench, 'gone', PETS);
        const space = await createSpace(bench, 'Gone', 'gone');
        const page = await bench.signIn();
        await page.goto(bench.address('openapi', 'gone'));
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Delete gone' });
        await dialog.getByText('Pages that show it lose its operations').waitFor();
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('gone is deleted').waitFor();
        await page.getByRole('heading', { name: 'API specifications', exact: true }).waitFor();
        await eventually(async () => assert.equal(await page.getByRole('link', { name: 'gone', exact: true }).count(), 0));
        assert.deepEqual((await bench.api.pages(space)).map(({ type }) => type), ['computed']);
    });

    test('a reader sees a specification and its problems, and changes nothing', async () => {
        await addSpec(bench, 'readable', `${PETS}    Toy: {$ref: "#/components/schemas/None"}\n`);
        const page = await bench.member('Rita', 'read');
        await page.getByRole('link', { name: 'API specifications' }).first().click();
        await page.getByRole('link', { name: 'readable' }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Add specification' }).count(), 0);
        await page.getByRole('link', { name: 'readable' }).click();
        await page.getByText('You can view this specification.').waitFor();
        await page.getByText('"#/components/schemas/None" leads to nothing').waitFor();
        for (const name of ['Read again', 'Change source', 'Delete', 'Create a space with its pages']) {
            assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
        }
        assert.ok(await page.getByRole('button', { name: /Who can download it/ }).isDisabled());
    });

    test('the search everywhere finds the specifications and adds one', async () => {
        const page = await bench.signIn();
        await page.goto(bench.address());
        await page.getByRole('button', { name: 'Search' }).first().waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search everywhere' }).fill('swagger');
        await page.getByRole('option', { name: 'API specifications', exact: true }).waitFor();
        await page.getByRole('option', { name: 'Add API specification' }).click();
        await page.getByRole('dialog', { name: 'Add specification' }).waitFor();
    });
});
