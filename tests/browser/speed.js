// Measures the application beside its limits: `BINDERY_BIN=… node speed.js`. Run it on a machine that does nothing else.
import { Api } from './lib/api.js';
import { startBrowser } from './lib/chromium.js';
import { startServer, TOKEN } from './lib/server.js';
import { useBuild } from './lib/web.js';

/** Limits in milliseconds. */
const KEY_TO_PAINT = 16;
const OPENING = 150;
const FRAME = 1000 / 60;

/** Pixels of a picture by which the tree is scrolled: 3,600 a second, which is fast. */
const STEP = 60;

/** Makes pictures as soon as they are ready, so that the time until a display would show them is not part of a measurement. */
const NO_DISPLAY = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

const words = (count) => 'word '.repeat(count).trim();
const paragraphs = (count, text) => Array.from({ length: count }, (_, at) => text(at)).join('\n\n');
const TABLE = ['| A | B | C |', '| --- | --- | --- |', ...Array.from({ length: 10 }, (_, at) => `| a${at} | b | c |`)].join('\n');

const PAGES = [
    ['2,000 words', paragraphs(40, () => words(50))],
    ['50,000 words', paragraphs(500, () => words(100))],
    ['50 tables', `${paragraphs(50, () => TABLE)}\n\nThe end.`],
    ['10,000 blocks', paragraphs(10_000, (at) => `Block ${at} with five words.`)],
];

function percentile(values, share) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function report(name, values, limit) {
    const [middle, high] = [percentile(values, 0.5), percentile(values, 0.95)];
    console.log(`${name.padEnd(44)} p50 ${middle.toFixed(1)} ms, p95 ${high.toFixed(1)} ms, limit ${limit.toFixed(1)} ms: ${(high / limit).toFixed(2)}`);
}

/** A text of paragraphs that the browser alone makes editable, without any editor. */
const PLAIN = `<!doctype html><style>
    body { margin: 0 }
    main { block-size: 100vh; overflow: auto }
    [contenteditable] { max-inline-size: 48rem; margin: auto; font: 16px/1.65 sans-serif }
</style><main><div contenteditable role="textbox" aria-label="Text of the page">${paragraphs(10_000, (at) => `<p>Block ${at} with five words.</p>`)}</div></main>`;

/** Types into the first text of a page and returns the times from the key to the next picture. */
async function typing(page) {
    const text = page.getByRole('textbox', { name: 'Text of the page' });
    await text.locator('p').first().click();
    await page.evaluate(() => {
        window.times = [];
        const send = new MessageChannel();
        document.addEventListener(
            'keydown',
            () => {
                const start = performance.now();
                requestAnimationFrame(() => {
                    send.port1.onmessage = () => window.times.push(performance.now() - start);
                    send.port2.postMessage(0);
                });
            },
            true,
        );
    });
    for (let at = 0; at < 150; at += 1) {
        await page.keyboard.press('x', { delay: 10 });
        await page.waitForTimeout(30);
    }
    return page.evaluate(() => window.times.slice(20));
}

/** Opens a page of the tree again and again and returns the times from the click to its text. */
async function opening(page, titles) {
    const times = [];
    for (let at = 0; at < 20; at += 1) {
        const title = titles[at % 2];
        const row = page.getByRole('row', { name: title, exact: false }).first();
        await row.waitFor();
        const element = await row.elementHandle();
        times.push(
            await page.evaluate(
                ([one, wanted]) =>
                    new Promise((resolve) => {
                        const start = performance.now();
                        const look = () => {
                            const shown = document.querySelector('h1')?.textContent === wanted && document.querySelector('[role=textbox] p');
                            if (shown) resolve(performance.now() - start);
                            else requestAnimationFrame(look);
                        };
                        (one.querySelector('a') ?? one).click();
                        look();
                    }),
                [element, title],
            ),
        );
    }
    return times;
}

/** Scrolls the tree for two seconds and returns the times between pictures. */
function scrolling(page) {
    return page.evaluate(
        (distance) =>
            new Promise((resolve) => {
                const list = document.querySelector('[role=treegrid]');
                const times = [];
                let last = performance.now();
                const end = last + 2000;
                const step = (now) => {
                    times.push(now - last);
                    last = now;
                    list.scrollTop += distance;
                    if (now < end) requestAnimationFrame(step);
                    else resolve(times.slice(5));
                };
                requestAnimationFrame(step);
            }),
        STEP,
    );
}

/** Fills a change request with 200 groups of 100 pages. */
async function fillLarge(api, space, change) {
    for (let at = 0; at < 200; at += 1) {
        const path = `/bindery/spaces/${space}/change-requests/${change.number}/pages`;
        const group = (await api.post(path, { type: 'group', title: `Group ${at}` })).page.id;
        for (let from = 0; from < 100; from += 50) {
            const page = (of) => ({ operation: 'insert_page', into: group, title: `Page ${at}.${from + of}`, document: { markdown: '' } });
            await change.write(Array.from({ length: 50 }, (_, of) => page(of)));
        }
    }
}

/** Fills a change request with 20,000 pages on one level. */
async function fillFlat(change) {
    for (let from = 0; from < 20_000; from += 50) {
        await change.write(Array.from({ length: 50 }, (_, of) => ({ operation: 'insert_page', title: `Page ${from + of}`, document: { markdown: '' } })));
    }
}

/** Does something in a browser in which the owner is signed in. */
async function inBrowser(server, args, work) {
    const browser = await startBrowser(args);
    try {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' });
        await useBuild(context);
        await context.request.post(`${server.address}/v1/bindery/sign-in`, { data: { token: TOKEN } });
        await work(context);
    } finally {
        await browser.close();
    }
}

const server = await startServer();
try {
    const api = new Api(server.address);
    const organization = await api.organization();
    const app = `${server.address}/app/o/${organization}/s`;
    const space = await api.createSpace('Long pages', PAGES.map(([title, markdown]) => ({ title, markdown })));
    const change = await api.startChange(space.id, 'Long');
    const two = await api.createSpace('Two pages', [
        { title: 'One page', markdown: PAGES[0][1] },
        { title: 'Another page', markdown: PAGES[0][1] },
    ]);
    const large = await api.post(`/orgs/${organization}/spaces`, { title: 'Large' });
    const long = await api.startChange(large.id, 'Pages');
    await fillLarge(api, large.id, long);
    const flat = await api.post(`/orgs/${organization}/spaces`, { title: 'Flat' });
    const wide = await api.startChange(flat.id, 'Pages');
    await fillFlat(wide);
    await inBrowser(server, NO_DISPLAY, async (context) => {
        for (const [title] of PAGES) {
            const page = await context.newPage();
            await page.goto(`${app}/${space.id}/~/changes/${change.number}/${space.pages[title]}`);
            report(`key to picture, ${title}`, await typing(page), KEY_TO_PAINT);
            await page.close();
        }
        const plain = await context.newPage();
        await plain.setContent(PLAIN);
        report('the browser alone, 10,000 paragraphs', await typing(plain), KEY_TO_PAINT);
    });
    await inBrowser(server, [], async (context) => {
        const page = await context.newPage();
        await page.goto(`${app}/${two.id}`);
        report('click to page of 2,000 words', await opening(page, ['Another page', 'One page']), OPENING);
        await page.goto(`${app}/${large.id}/~/changes/${long.number}`);
        await page.getByRole('row', { name: /Page 0.0/ }).first().waitFor({ timeout: 60_000 });
        report('frames of a tree of 20,200 rows', await scrolling(page), FRAME);
        await page.goto(`${app}/${flat.id}/~/changes/${wide.number}`);
        await page.getByRole('row', { name: /Page 0/ }).first().waitFor({ timeout: 60_000 });
        report('frames of a tree of 20,000 rows on one level', await scrolling(page), FRAME);
    });
} finally {
    await server.stop();
}
