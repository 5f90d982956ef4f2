// Takes pictures of every screen at 390, 1280 and 1920 px, in light and dark: `BINDERY_BIN=… node screens.js FOLDER`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Api } from './lib/api.js';
import { startBrowser } from './lib/chromium.js';
import { accept, postAs } from './lib/person.js';
import { startServer, TOKEN } from './lib/server.js';
import { useBuild } from './lib/web.js';
import { quiet, watchRequests } from './lib/quiet.js';

const WIDTHS = [390, 1280, 1920];
const HEIGHTS = { 390: 844, 1280: 800, 1920: 1080 };
const QUALITY = 55;

const GUIDE = [
    'Set up the server in three steps. Everything else can wait until tomorrow.',
    '## Before you begin',
    '* A machine with 1 GB of memory\n* A name such as `docs.example.org`\n* Ten minutes',
    '{% hint style="info" %}\nThe server needs no database of its own; it brings one.\n{% endhint %}',
    '## Install',
    '```sh\ncurl -fsSL https://docs.example.org/install | sh\nbindery serve\n```',
    '| Setting | Default | Meaning |\n| --- | --- | --- |\n| `listen` | `127.0.0.1:8080` | address of the server |\n| `data` | `./data` | folder of the store |',
    '- [x] Start the server\n- [ ] Invite the team',
].join('\n\n');

/** Fills an empty server with what a small team has after some weeks. */
async function fill(api, organization, browser) {
    const space = await api.createSpace('Handbook', [
        { title: 'Welcome', markdown: 'All about our product, in one place.\n\n## News\n\n* Version 2 is out.' },
        { title: 'Getting started', markdown: GUIDE, pages: [{ title: 'Install', markdown: GUIDE }, { title: 'First steps', markdown: GUIDE }] },
        { title: 'Reference', markdown: 'All settings.', pages: [{ title: 'Settings' }, { title: 'Limits' }] },
        { title: 'Release notes', markdown: 'Version 2.' },
    ]);
    await api.createSpace('Internal', [{ title: 'On call', markdown: 'Call the person on duty.' }]);
    const change = await api.startChange(space.id, 'Explain the installation');
    const start = space.pages['Getting started'];
    const text = GUIDE.replace('three steps', 'two steps').replace('| `data`', '| `log` | `info` | level of the log |\n| `data`');
    await change.write([
        { operation: 'update_page', page: start, document: { markdown: text } },
        { operation: 'insert_page', title: 'Upgrade', document: { markdown: 'Stop the server, replace the program, start it.' } },
    ]);
    const path = `/spaces/${space.id}/change-requests/${change.number}`;
    await api.post(`${path}/comments`, { page: start, body: { markdown: 'Does this also hold for Windows?' } });
    await api.post(`/orgs/${organization}/invites`, { emails: ['ada@example.org', 'grace@example.org'], role: 'edit' });
    await api.post(`/orgs/${organization}/invites`, { emails: ['joan@example.org'], role: 'review' });
    const joan = await browser.newPage({ locale: 'en' });
    await accept(joan, await api.invitationAddress('joan@example.org'), 'Joan Clarke');
    for (const markdown of ['The table lacks the setting for the address.', 'Shall we say that the server starts again by itself?']) {
        await postAs(joan, api.address, `${path}/comments`, { body: { markdown } });
    }
    await postAs(joan, api.address, `${path}/reviews`, { status: 'approved' });
    await joan.close();
    await api.call('PUT', `/orgs/${organization}/teams`, { title: 'Writers' });
    await api.post('/bindery/user/tokens', { name: 'Continuous integration', scopes: ['read'] });
    const description = {
        openapi: '3.1.0',
        info: { title: 'Petstore', version: '1' },
        tags: [{ name: 'pets', description: 'All about pets' }],
        paths: { '/pets': { get: { tags: ['pets'], summary: 'List pets', responses: { 200: { $ref: '#/components/responses/Pets' } } } } },
    };
    const specs = `/orgs/${organization}/openapi`;
    await api.call('PUT', `${specs}/petstore`, { source: { text: JSON.stringify(description, undefined, 2) } });
    await api.call('PUT', `${specs}/broken`, { source: { text: 'openapi: 3.1.0\ninfo: {title: Broken\n' } });
    const dependencies = { spec: { ref: { kind: 'openapi', spec: 'petstore' } } };
    const reference = await api.post(`/orgs/${organization}/spaces`, { title: 'API', computedSource: { type: 'builtin:openapi', props: { models: true }, dependencies } });
    const site = await api.post(`/orgs/${organization}/sites`, { title: 'Product docs', visibility: 'public', spaces: [space.id] });
    return { space, start, change: change.number, site: site.id, reference: reference.id };
}

/** Presses the bell, and waits for the notifications. */
async function pressBell(page) {
    await page.getByRole('button', { name: /^Notifications/ }).or(page.getByRole('link', { name: /^Notifications/ })).click();
    await page.getByText('Joan Clarke approved').waitFor();
}

/** Returns the names of the screens, with their addresses and what is done there first. */
function screensOf({ space, start, change, site, reference }) {
    const inSpace = (rest) => `s/${space.id}/${rest}`;
    const inChange = (rest) => inSpace(`~/changes/${change}${rest && `/${rest}`}`);
    const press = (name) => (page) => page.getByRole('button', { name, exact: true }).first().click();
    const sites = ['structure', 'look', 'audience', 'share-links', 'addresses', 'search', 'insights', 'people', 'settings'];
    const settings = ['general', 'merge-rules', 'profile', 'tokens', 'audit', 'jobs'];
    const ofSpace = ['general', 'access', 'git', 'content', 'links'];
    return [
        ['home', ''],
        ['notifications', 'notifications'],
        // Below 960 px, the bell leads to the page of all notifications.
        ['notifications-bell', '', pressBell],
        ['search', '', (page) => page.keyboard.press('Control+k')],
        ['page', inSpace(start)],
        ['editor', inChange(start)],
        ['editor-markdown', inChange(start), (page) => press('Markdown')(page).then(() => page.getByRole('textbox', { name: /Markdown/ }).waitFor())],
        ['comments', inChange(start), (page) => press('Comments')(page).then(() => page.getByText('Does this also hold').waitFor())],
        ['page-options', inChange(start), press('Page options')],
        ['review', inChange('~/review')],
        ['change-requests', inSpace('~/changes')],
        ['all-change-requests', 'changes'],
        ['history', inSpace('~/history')],
        ['files', inSpace('~/files')],
        ['members', 'members'],
        ['teams', 'members/teams'],
        ['invitations', 'members/invitations'],
        ['specifications', 'openapi'],
        ['specification-new', 'openapi', press('Add specification')],
        ['specification', 'openapi/petstore'],
        ['specification-broken', 'openapi/broken'],
        ['page-made', `s/${reference}`],
        ['sites', 'sites'],
        ['site', `sites/${site}`],
        ...sites.map((view) => [`site-${view}`, `sites/${site}/${view}`]),
        ...settings.map((view) => [`settings-${view}`, `settings/${view}`]),
        ...ofSpace.map((view) => [`space-${view}`, inSpace(`~/settings/${view}`)]),
    ];
}

/** Waits until a page has what it shows. */
async function loaded(page) {
    await quiet(page);
    await page.getByRole('heading').first().waitFor({ state: 'attached' });
    await page.getByText('Loading…').waitFor({ state: 'detached' });
}

/** Writes a picture of what a page shows now. */
async function take(page, file) {
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    await session.detach();
    await writeFile(file, Buffer.from(data, 'base64'));
}

async function takeAll(folder, wanted) {
    const server = await startServer();
    const browser = await startBrowser();
    try {
        const api = new Api(server.address);
        const organization = await api.organization();
        const screens = screensOf(await fill(api, organization, browser)).filter(([name]) => wanted.length === 0 || wanted.includes(name));
        for (const colorScheme of ['light', 'dark']) {
            const context = await browser.newContext({ colorScheme, locale: 'en', reducedMotion: 'reduce' });
            await useBuild(context);
            const page = await context.newPage();
            watchRequests(page);
            await page.request.post(`${server.address}/v1/bindery/sign-in`, { data: { token: TOKEN } });
            for (const width of WIDTHS) {
                await page.setViewportSize({ width, height: HEIGHTS[width] });
                for (const [name, path, prepare] of screens) {
                    await page.goto(`${server.address}/app/o/${organization}${path && `/${path}`}`);
                    await loaded(page);
                    await prepare?.(page);
                    await loaded(page);
                    await take(page, join(folder, `${name}-${width}-${colorScheme}.webp`));
                }
            }
            await context.close();
        }
    } finally {
        await browser.close();
        await server.stop();
    }
}

const [folder, ...wanted] = process.argv.slice(2);
if (!folder) {
    console.error('usage: node screens.js FOLDER [SCREEN …]');
    process.exit(2);
}
await mkdir(folder, { recursive: true });
await takeAll(folder, wanted);
