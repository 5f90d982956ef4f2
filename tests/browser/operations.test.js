// Operations, webhooks and models of specifications are found, inserted and changed in the editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { cursor, edit, handleOf, insertBlock, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

const RESPONSES = { 200: { description: 'ok' } };

/** Number of operations that only fill the list: more than the window reads at once. */
const REPORTS = 120;

/** A description with operations, webhooks and models. */
const FLEET = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Fleet', version: '1' },
    paths: {
        '/ships': {
            get: { operationId: 'listShips', summary: 'List ships', responses: RESPONSES },
            post: { summary: 'Build a ship', responses: RESPONSES },
        },
        '/ships/{id}': {
            get: { operationId: 'getShip', summary: 'Find a ship', responses: RESPONSES },
            put: { summary: 'Replace a ship', deprecated: true, responses: RESPONSES },
        },
        ...Object.fromEntries(Array.from({ length: REPORTS }, (_, at) => [`/reports/${at}`, { get: { summary: `Report ${at}`, responses: RESPONSES } }])),
        '/harbours': { get: { operationId: 'listHarbours', summary: 'List harbours', responses: RESPONSES } },
    },
    webhooks: { sunk: { post: { summary: 'A ship has sunk', responses: RESPONSES } } },
    components: { schemas: { Ship: { type: 'object' }, Harbour: { type: 'object' }, Crew: { type: 'object' } } },
});

/** A description of an API without webhooks. */
const SMALL = JSON.stringify({ openapi: '3.1.0', info: { title: 'Small', version: '1' }, paths: { '/pets': { get: { summary: 'List pets', responses: RESPONSES } } } });

/** Returns the Markdown of a block for an operation. */
const operation = (path, method, spec = 'fleet') => `{% openapi-operation spec="${spec}" path="${path}" method="${method}" %}\nOpenAPI ${spec}\n{% endopenapi-operation %}`;

/** Adds a specification, unless it is there, and waits until it was read. */
async function addSpec(bench, slug = 'fleet', text = FLEET) {
    const path = `/orgs/${bench.organization}/openapi/${slug}`;
    await bench.api.call('PUT', path, { source: { text } });
    await eventually(async () => assert.equal((await bench.api.get(path)).processingState, 'complete'));
}

/** Opens a new space with one page for editing, with the cursor at the end of its text. */
async function begin(bench, markdown = '') {
    const space = await bench.api.createSpace('Fleet guide', [{ title: 'Guide', markdown }]);
    const id = space.pages.Guide;
    const page = await bench.signIn();
    const change = bench.api.change(space.id, await edit(page, bench.address('s', space.id, id)));
    await cursor(page, 'end');
    return { page, space, markdownOf: () => change.markdown(id) };
}

const search = (page, name) => page.getByRole('dialog').getByRole('combobox', { name });
const options = (page) => page.getByRole('dialog').getByRole('option');
const isFocused = (locator) => locator.and(locator.page().locator(':focus')).waitFor();

/** Waits until the number of results is shown. */
const found = (page, count) => page.getByRole('dialog').getByRole('status').getByText(count, { exact: true }).waitFor();

/** Waits until the window is closed and the text has the focus. */
async function closed(page) {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await isFocused(textOf(page));
}

flow('operations in the editor', engines(), (bench) => {
    test('without a specification, the window leads to their list', async () => {
        const { page } = await begin(bench);
        await insertBlock(page, 'API operation');
        const dialog = page.getByRole('dialog', { name: 'Insert an API operation' });
        await dialog.getByText('There are no API specifications yet.').waitFor();
        await dialog.getByRole('link', { name: 'Open the API specifications' }).click();
        await page.getByRole('heading', { name: 'API specifications', exact: true }).waitFor();
        assert.equal(await page.getByRole('dialog').count(), 0);
    });

    test('an operation is found and inserted with the keyboard, and writing goes on below it', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench, 'Words.');
        await page.keyboard.press('Enter');
        await page.keyboard.type('/endpoint');
        await page.getByRole('listbox', { name: 'Blocks' }).getByRole('option', { name: 'API operation' }).waitFor();
        await page.keyboard.press('Enter');
        // The only specification is chosen already.
        await isFocused(search(page, 'Find an operation'));
        await found(page, `${REPORTS + 5} operations`);
        await page.keyboard.type('find ship');
        await found(page, '1 operation');
        assert.match(await options(page).innerText(), /^GET\s+Find a ship\s+\/ships\/\{id\}$/);
        await page.keyboard.press('Enter');
        await closed(page);
        await textOf(page).getByText('Find a ship').waitFor();
        await page.keyboard.press('Enter');
        await page.keyboard.type('Below');
        await saved(page);
        await eventually(async () => assert.ok((await markdownOf()).includes(`Words.\n\n${operation('/ships/{id}', 'get')}\n\nBelow`)));
    });

    test('arrows go through the list, which reads more at its end; Escape inserts nothing', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench, 'Words.');
        const before = await markdownOf();
        await page.keyboard.press('Enter');
        await insertBlock(page, 'API operation');
        await found(page, `${REPORTS + 5} operations`);
        assert.equal(await options(page).count(), 50);
        await options(page).filter({ hasText: 'Replace a ship' }).getByText('deprecated').waitFor();
        for (let at = 0; at < 55; at += 1) {
            await page.keyboard.press('ArrowDown');
        }
        await eventually(async () => assert.ok((await options(page).count()) > 50));
        await page.keyboard.type('submarine');
        await page.getByRole('dialog').getByText('Nothing matches “submarine”.').waitFor();
        await page.keyboard.press('Escape');
        await closed(page);
        await page.keyboard.press('Backspace');
        await saved(page);
        await eventually(async () => assert.equal(await markdownOf(), before));
    });

    test('Enter waits for the results of what was typed before it', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench);
        await insertBlock(page, 'API operation');
        await found(page, `${REPORTS + 5} operations`);
        await page.route(/\/operations\?/, async (route) => {
            await new Promise((resolve) => setTimeout(resolve, 300));
            await route.fallback();
        });
        await page.keyboard.type('listHarbours');
        await page.keyboard.press('Enter');
        await textOf(page).getByText('List harbours').waitFor();
        await eventually(async () => assert.ok((await markdownOf()).includes(operation('/harbours', 'get'))));
    });

    test('a webhook is inserted with the pointer', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench);
        await insertBlock(page, 'API webhook');
        await found(page, '1 webhook');
        await options(page).filter({ hasText: 'A ship has sunk' }).click();
        await closed(page);
        await textOf(page).getByText('Webhook sunk').waitFor();
        await eventually(async () => assert.match(await markdownOf(), /\{% openapi-webhook spec="fleet" name="sunk" method="post" %\}/));
    });

    test('several models are chosen, and others later', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench);
        await insertBlock(page, 'API models');
        const dialog = page.getByRole('dialog', { name: 'Insert API models' });
        assert.ok(await dialog.getByRole('button', { name: 'Insert' }).isDisabled());
        await isFocused(search(page, 'Find models'));
        for (const name of ['Harbour', 'Ship']) {
            await search(page, 'Find models').fill(name);
            await found(page, '1 model');
            await page.keyboard.press('Enter');
            await dialog.getByRole('list', { name: 'Chosen' }).getByRole('button', { name: `Remove ${name}` }).waitFor();
        }
        await dialog.getByRole('button', { name: 'Insert' }).click();
        await closed(page);
        await eventually(async () => assert.match(await markdownOf(), /\{% openapi-schemas spec="fleet" schemas="Harbour,Ship" grouped="true" %\}/));

        await textOf(page).getByRole('button', { name: 'Change the API models' }).press('Enter');
        const change = page.getByRole('dialog', { name: 'Change the API models' });
        await change.getByRole('option', { name: 'Ship', selected: true }).click();
        await change.getByRole('option', { name: 'Crew', selected: false }).click();
        await change.getByRole('button', { name: 'Apply' }).click();
        await closed(page);
        await eventually(async () => assert.match(await markdownOf(), /schemas="Harbour,Crew" grouped="true"/));
    });

    test('a block is changed with the button in it and with its menu', async () => {
        await addSpec(bench);
        const { page, markdownOf } = await begin(bench, `${operation('/harbours', 'get')}\n\nWords.`);
        await textOf(page).getByText('List harbours').waitFor();
        await textOf(page).getByRole('button', { name: 'Change the API operation' }).press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Change the API operation' });
        await dialog.getByRole('option', { name: 'List harbours', selected: true }).waitFor();
        assert.match(await options(page).first().innerText(), /List harbours/, 'it is the first, although the last of the specification');
        await isFocused(search(page, 'Find an operation'));
        await page.keyboard.type('build');
        await found(page, '1 operation');
        await page.keyboard.press('Enter');
        await closed(page);
        await textOf(page).getByText('Build a ship').waitFor();
        await eventually(async () => assert.ok((await markdownOf()).includes(operation('/ships', 'post'))));

        await (await handleOf(page, textOf(page).locator('[data-block="openapi-operation"]'))).click();
        await page.getByRole('menuitem', { name: 'Change the API operation' }).click();
        await options(page).filter({ hasText: 'Replace a ship' }).click();
        await closed(page);
        await textOf(page).getByText('deprecated').waitFor();
        await eventually(async () => assert.ok((await markdownOf()).includes(operation('/ships/{id}', 'put'))));
        await page.keyboard.press('Control+z');
        await textOf(page).getByText('Build a ship').waitFor();
    });

    test('the older block with the address of a file becomes an operation of a specification', async () => {
        await addSpec(bench);
        const address = 'https://example.org/old.json';
        const { page, markdownOf } = await begin(bench, `{% openapi src="${address}" path="/old" method="get" %}\n[old.json](${address})\n{% endopenapi %}`);
        await textOf(page).getByText(address).waitFor();
        await textOf(page).getByRole('button', { name: 'Change the API operation' }).click();
        await search(page, 'Find an operation').fill('getShip');
        await found(page, '1 operation');
        await page.keyboard.press('Enter');
        await closed(page);
        await eventually(async () => assert.ok((await markdownOf()).includes(operation('/ships/{id}', 'get'))));
        assert.ok(!(await markdownOf()).includes(address));
    });

    test('blocks say what is missing', async () => {
        await addSpec(bench);
        await bench.api.call('PUT', `/orgs/${bench.organization}/openapi/broken`, { source: { text: 'openapi: 3.1.0\ninfo: {title: Broken\n' } });
        const { page } = await begin(
            bench,
            [
                operation('/submarines', 'get'),
                operation('/ships', 'delete'),
                operation('/ships', 'get', 'nowhere'),
                operation('/ships', 'get', 'broken'),
                '{% openapi-schemas spec="fleet" schemas="Ship,Anchor" grouped="true" %}\nOpenAPI fleet\n{% endopenapi-schemas %}',
            ].join('\n\n'),
        );
        await eventually(async () => assert.equal(await textOf(page).getByText('The specification fleet has no such operation.').count(), 2));
        await textOf(page).getByText('There is no specification named nowhere.').waitFor();
        await textOf(page).getByText('broken has not been read yet.').waitFor();
        await textOf(page).getByText('The specification fleet has no model Anchor.').waitFor();
        await bench.api.call('DELETE', `/orgs/${bench.organization}/openapi/broken`);
    });

    test('the operations of a page are read once, and typing goes on meanwhile', async () => {
        await addSpec(bench);
        const blocks = ['/ships', '/ships/{id}', '/harbours', '/reports/1', '/reports/2'].map((path) => operation(path, 'get'));
        const space = await bench.api.createSpace('Reads', [{ title: 'Guide', markdown: ['Words', ...blocks].join('\n\n') }]);
        const page = await bench.signIn();
        const asked = [];
        let answer;
        const isTyped = new Promise((resolve) => (answer = resolve));
        await page.route(/\/operations\?/, async (route) => {
            asked.push(route.request().url());
            await isTyped;
            await route.fallback();
        });
        await edit(page, bench.address('s', space.id, space.pages.Guide));
        await textOf(page).getByText('Words').click();
        await page.keyboard.press('End');
        await page.keyboard.type(' that are');
        await eventually(() => assert.equal(asked.length > 0, true));
        answer();
        await page.keyboard.type(' typed meanwhile');
        await textOf(page).getByText('List harbours').waitFor();
        await page.keyboard.type(' and later.');
        await textOf(page).getByText('Words that are typed meanwhile and later.', { exact: true }).waitFor();
        assert.ok(asked.length <= 2, `once for the main content and once for the change request, not ${asked.length} times`);
    });

    test('readers see the head of an operation with a link to its specification', async () => {
        await addSpec(bench);
        const space = await bench.api.createSpace('Read only', [{ title: 'Guide', markdown: operation('/ships/{id}', 'put') }]);
        const page = await bench.member('Rita', 'read');
        await page.goto(bench.address('s', space.id));
        await textOf(page).getByText('Replace a ship').waitFor();
        await textOf(page).getByText('deprecated').waitFor();
        assert.equal(await textOf(page).getByRole('button').count(), 0);
        await textOf(page).getByRole('link', { name: 'fleet', exact: true }).click();
        await page.getByRole('heading', { name: 'fleet', exact: true }).waitFor();
    });

    test('the specification is chosen first if there are several', async () => {
        await addSpec(bench);
        await addSpec(bench, 'small', SMALL);
        const { page, markdownOf } = await begin(bench);
        await insertBlock(page, 'API webhook');
        const dialog = page.getByRole('dialog', { name: 'Insert an API webhook' });
        await isFocused(dialog.getByRole('button', { name: /Specification/ }));
        await page.keyboard.press('Enter');
        await page.getByRole('option', { name: 'small', exact: true }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.getByRole('option', { name: 'small', exact: true }).click();
        await dialog.getByText('This specification has no webhooks.').waitFor();
        await dialog.getByRole('button', { name: /Specification/ }).click();
        await page.getByRole('option', { name: 'fleet', exact: true }).click();
        await isFocused(search(page, 'Find a webhook'));
        await options(page).filter({ hasText: 'A ship has sunk' }).waitFor();
        for (const colorScheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
            assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], colorScheme);
        }
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await closed(page);
        await eventually(async () => assert.match(await markdownOf(), /openapi-webhook spec="fleet"/));
    });
});
