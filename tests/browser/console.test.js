// A reader of an API reference sends requests from its pages, with credentials that are not stored.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { eventually } from './lib/api.js';
import { faultsOf } from './lib/axe.js';
import { flow } from './lib/flow.js';

/** Returns a description whose first server is the API of this test, and whose second one is in a private network. */
const descriptionOf = (address) => `openapi: 3.1.0
info: {title: Harbour, version: "1"}
servers:
  - {url: "${address}/{version}", variables: {version: {default: v1, enum: [v1, v2]}}}
  - {url: "http://10.0.0.1/v1", description: Inner network}
tags: [{name: ships}]
security: [{token: []}, {key: []}, {login: []}, {}]
paths:
  /ships/{id}:
    get:
      tags: [ships]
      summary: Find a ship
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: fields, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses: {"200": {description: ok}}
    put:
      tags: [ships]
      summary: Replace a ship
      parameters: [{name: id, in: path, required: true, schema: {type: integer}, example: 7}]
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, properties: {name: {type: string}}}
            example: {name: Seagull}
      responses: {"200": {description: ok}}
  /photos:
    post:
      tags: [ships]
      summary: Add a photo
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [caption]
              properties: {caption: {type: string}, photo: {type: string, format: binary}}
      responses: {"200": {description: ok}}
  /slow:
    get: {tags: [ships], summary: Wait for a ship, responses: {"200": {description: ok}}}
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
    key: {type: apiKey, in: header, name: X-Key}
    login: {type: http, scheme: basic}
`;

/** The answer to each request. The number has more digits than a number of JavaScript. */
const SHIP = '{"id":12345678901234567890,"name":"Seagull","ports":[]}';

/** Starts the API, which records what it receives. Requests to `/slow` get no answer. */
async function startApi() {
    const received = [];
    const server = createServer(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        const { method, url, headers } = request;
        received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
        if (!url.endsWith('/slow')) {
            response.writeHead(200, { 'content-type': 'application/json', 'x-ship': 'found' }).end(SHIP);
        }
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
        address: `http://127.0.0.1:${server.address().port}`,
        received,
        stop() {
            server.closeAllConnections();
            server.close();
        },
    };
}

/** Publishes a site with the pages of a description and returns its address. */
async function publish(bench, text) {
    const organization = `/orgs/${bench.organization}`;
    await bench.api.call('PUT', `${organization}/openapi/harbour`, { source: { text } });
    await eventually(async () => assert.equal((await bench.api.get(`${organization}/openapi/harbour`)).processingState, 'complete'));
    const computedSource = { type: 'builtin:openapi', props: { models: false }, dependencies: { spec: { ref: { kind: 'openapi', spec: 'harbour' } } } };
    const space = await bench.api.post(`${organization}/spaces`, { title: 'Harbour', computedSource });
    const site = await bench.api.post(`${organization}/sites`, { title: 'Harbour', type: 'ultimate', visibility: 'public', spaces: [space.id] });
    await bench.api.post(`${organization}/sites/${site.id}/publish`);
    return (await bench.api.get(`${organization}/sites/${site.id}`)).urls.published;
}

const buttonOf = (page, title) =>
    page.locator('.api').filter({ has: page.getByRole('heading', { name: title }) }).getByRole('button', { name: 'Try it' });

/** Opens the console of an operation. */
async function openConsole(page, title) {
    await buttonOf(page, title).click();
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.waitFor();
    return dialog;
}

const answerOf = (dialog) => dialog.getByRole('region', { name: 'Response' });
const send = (dialog) => dialog.getByRole('button', { name: 'Send' }).click();

/** Waits for the answer of the API. */
const answered = (dialog) => answerOf(dialog).getByText('200 OK').waitFor();

// Pages are the same on both databases.
flow('API console', ['SQLite'], (bench) => {
    let target;
    let address;
    before(async () => {
        target = await startApi();
        address = await publish(bench, descriptionOf(target.address));
    });
    after(() => target.stop());

    /** Opens the page of the operations as a reader without an account. */
    async function read(options) {
        target.received.length = 0;
        const page = await bench.visit(options);
        await page.goto(address);
        return page;
    }

    test('a request is filled in and sent, and its answer shown', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Find a ship');
        await send(dialog);
        await dialog.getByText('Fill in this field.').waitFor();
        assert.equal(await dialog.getByLabel('id', { exact: true }).getAttribute('aria-invalid'), 'true');
        assert.equal(target.received.length, 0);
        await dialog.getByLabel('id', { exact: true }).fill('42');
        await dialog.getByLabel('fields').fill('name\nage');
        await dialog.getByLabel('X-Trace').fill('abc');
        await dialog.getByLabel('version').selectOption('v2');
        await dialog.getByRole('button', { name: 'cURL' }).click();
        await answerOf(dialog).getByText(/^curl '.*\/v2\/ships\/42\?fields=name&fields=age' .*--header 'X-Trace: abc'/s).waitFor();
        assert.equal(target.received.length, 0);
        await send(dialog);
        await answered(dialog);
        assert.equal(target.received.length, 1);
        const [{ method, url, headers }] = target.received;
        assert.equal(`${method} ${url}`, 'GET /v2/ships/42?fields=name&fields=age');
        assert.equal(headers['x-trace'], 'abc');
        assert.equal(headers.cookie, undefined);
        await answerOf(dialog).getByText('12345678901234567890').waitFor();
        await answerOf(dialog).getByText(/^Headers/).click();
        await answerOf(dialog).getByText('x-ship').waitFor();
        const download = page.waitForEvent('download');
        await answerOf(dialog).getByRole('button', { name: 'Download' }).click();
        assert.equal((await download).suggestedFilename(), 'response.json');
    });

    test('a body is proposed, and sent although it is not JSON when the reader insists', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Replace a ship');
        const body = dialog.getByRole('textbox', { name: 'Body' });
        assert.deepEqual(JSON.parse(await body.inputValue()), { name: 'Seagull' });
        await body.fill('{"name":');
        await send(dialog);
        await dialog.getByText('This is not valid JSON.').waitFor();
        assert.equal(target.received.length, 0);
        await send(dialog);
        await answered(dialog);
        assert.equal(target.received[0].body, '{"name":');
        assert.match(target.received[0].headers['content-type'], /^application\/json/);
        await page.keyboard.press('Escape');
        await openConsole(page, 'Replace a ship');
        assert.equal(await body.inputValue(), '{"name":', 'the value is kept while the page is open');
    });

    test('a form is sent with its file', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Add a photo');
        await dialog.getByLabel('caption').fill('At sea');
        await dialog.getByLabel('photo').setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: Buffer.from('bytes of a photo') });
        await send(dialog);
        await answered(dialog);
        const [{ headers, body }] = target.received;
        assert.match(headers['content-type'], /^multipart\/form-data/);
        for (const part of ['At sea', 'filename="sea.png"', 'image/png', 'bytes of a photo']) {
            assert.ok(body.includes(part), part);
        }
    });

    test('credentials are sent, shared by the operations, and not stored', async () => {
        const page = await read();
        let dialog = await openConsole(page, 'Find a ship');
        await dialog.getByLabel('id', { exact: true }).fill('1');
        const token = dialog.getByLabel('token');
        assert.equal(await token.getAttribute('type'), 'password');
        await token.fill('secret-of-a-reader');
        await send(dialog);
        await answered(dialog);
        assert.equal(target.received.at(-1).headers.authorization, 'Bearer secret-of-a-reader');
        await page.keyboard.press('Escape');

        dialog = await openConsole(page, 'Replace a ship');
        assert.equal(await dialog.getByLabel('token').inputValue(), 'secret-of-a-reader');
        const choice = dialog.getByRole('combobox', { name: 'Credentials' });
        await choice.selectOption('key');
        await dialog.getByLabel('key', { exact: true }).fill('another-secret');
        await send(dialog);
        await answered(dialog);
        assert.equal(target.received.at(-1).headers['x-key'], 'another-secret');
        assert.equal(target.received.at(-1).headers.authorization, undefined);
        await choice.selectOption('Without credentials');
        await send(dialog);
        await eventually(async () => assert.equal(target.received.length, 3));
        assert.equal(target.received.at(-1).headers['x-key'], undefined);

        const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
        assert.doesNotMatch(kept, /secret/);
        await page.reload();
        dialog = await openConsole(page, 'Find a ship');
        assert.equal(await dialog.getByLabel('token').inputValue(), '');
    });

    test('a server in a private network is refused with the reason', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Find a ship');
        await dialog.getByLabel('id', { exact: true }).fill('1');
        await dialog.getByRole('combobox', { name: 'Server' }).selectOption('http://10.0.0.1/v1 · Inner network');
        // A server that is refused whatever its address resolves to cannot be sent to at all.
        const button = dialog.getByRole('button', { name: 'Send' });
        if (await button.isEnabled()) {
            await button.click();
        }
        await dialog.locator('.try-error').getByText('private address').waitFor();
        assert.equal(target.received.length, 0);
    });

    test('the keyboard is enough', async () => {
        const page = await read();
        const opener = buttonOf(page, 'Find a ship');
        await opener.focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Find a ship' });
        await dialog.waitFor();
        const focused = () => page.evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent);
        const walk = async (label) => {
            for (let steps = 0; (await focused()) !== label; steps += 1) {
                assert.ok(steps < 20, `${label} is not reached`);
                await page.keyboard.press('Tab');
            }
        };
        assert.equal(await focused(), 'Server');
        await walk('token');
        await page.keyboard.type('typed');
        await walk('id');
        await page.keyboard.type('5');
        await page.keyboard.press('Control+Enter');
        await answered(dialog);
        assert.equal(target.received[0].url, '/v1/ships/5');
        await dialog.getByRole('status').getByText(/^200 OK, /).waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'hidden' });
        assert.ok(await opener.evaluate((node) => node === document.activeElement), 'the focus returns to the button');
    });

    test('a request without an answer is cancelled', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Wait for a ship');
        await send(dialog);
        await eventually(async () => assert.equal(target.received.length, 1));
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await answerOf(dialog).getByText('The request was cancelled.').waitFor();
        assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).count(), 0);
    });

    test('the dialog has no fault, in light, in dark and on a phone', async () => {
        const page = await read();
        const dialog = await openConsole(page, 'Find a ship');
        await dialog.getByLabel('id', { exact: true }).fill('1');
        await send(dialog);
        await answered(dialog);
        const faults = async () => [...(await faultsOf(page, 'light')), ...(await faultsOf(page, 'dark'))];
        assert.deepEqual(await faults(), []);
        await page.setViewportSize({ width: 390, height: 844 });
        assert.deepEqual(await faults(), []);
        const { width, scrollWidth } = await dialog.evaluate((node) => ({ width: node.clientWidth, scrollWidth: node.scrollWidth }));
        assert.equal(scrollWidth, width, 'the dialog does not scroll sideways');
    });

    test('no button is shown without scripts', async () => {
        const page = await read({ javaScriptEnabled: false });
        await page.getByRole('heading', { name: 'Find a ship' }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Try it' }).count(), 0);
    });
}, { BINDERY_OUTBOUND_ALLOW: '127.0.0.0/8' });
