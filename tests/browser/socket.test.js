// What people write goes through a socket, and by requests where a proxy passes none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { agreed, cursor, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';
import { startProxy } from './lib/proxy.js';
import { begin } from './lib/together.js';

const isSteps = (path) => /\/steps(\?|$)/.test(path);

/** Counts what goes from a page to the server, from when it is loaded again. */
async function watch(page, address = page.url()) {
    const seen = { sockets: 0, answers: 0, frames: 0, requests: 0 };
    page.on('websocket', (socket) => {
        seen.sockets += 1;
        socket.on('framereceived', () => (seen.answers += 1));
        socket.on('framesent', ({ payload }) => {
            const { method, path } = JSON.parse(payload);
            if (method === 'POST' && isSteps(path)) seen.frames += 1;
        });
    });
    page.on('request', (request) => {
        if (isSteps(request.url())) seen.requests += 1;
    });
    await page.goto('about:blank');
    await page.goto(address);
    await textOf(page).waitFor();
    return seen;
}

/** Waits until the server has answered through the newest socket. */
const connected = (seen, sockets) => eventually(() => assert.ok(seen.sockets >= sockets && seen.answers > 0, JSON.stringify(seen)));

/** Has two people write at once, and checks that both have both texts. */
async function write(own, ann, word) {
    await cursor(own, 'start');
    await cursor(ann, 'end');
    await Promise.all([own.keyboard.type(`Own ${word}. `), ann.keyboard.type(` Hers ${word}.`)]);
    const text = await agreed(own, ann);
    assert.ok(text.startsWith(`Own ${word}. `) && text.endsWith(` Hers ${word}.`), text);
    await saved(own);
    await saved(ann);
    return text;
}

flow('socket', engines(), (bench) => {
    test('two people write through one socket each, and send no request', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.', 'Kira');
        const seen = [await watch(own), await watch(ann)];
        for (const one of seen) await connected(one, 1);
        await write(own, ann, 'one');
        assert.equal(await write(own, ann, 'two'), 'Own two. Own one. First. Hers one. Hers two.');
        for (const { sockets, frames, requests } of seen) {
            assert.ok(frames > 0);
            assert.deepEqual({ sockets, requests }, { sockets: 1, requests: 0 });
        }
        await textOf(own).locator('.caret-name', { hasText: 'Kira' }).waitFor({ state: 'attached' });
        await eventually(async () => assert.match(await change.markdown(id), /Own two\. Own one\. First\. Hers one\. Hers two\./));
    });

    test('a socket opens again after the server was killed', async () => {
        const { own, others: [ann] } = await begin(bench, 'First.', 'Lilly');
        const seen = [await watch(own), await watch(ann)];
        for (const one of seen) await connected(one, 1);
        await bench.server.kill();
        await cursor(own, 'start');
        await own.keyboard.type('Alone. ');
        for (const one of seen) one.answers = 0;
        await bench.server.restart();
        for (const one of seen) await connected(one, 2);
        assert.equal(await agreed(own, ann), 'Alone. First.');
        // A request that comes before the server has accepted the first one goes by itself.
        await write(own, ann, 'again');
        for (const one of seen) one.requests = 0;
        assert.equal(await write(own, ann, 'last'), 'Own last. Own again. Alone. First. Hers again. Hers last.');
        for (const { requests } of seen) assert.equal(requests, 0);
    });

    test('what is written goes by requests through a proxy that refuses sockets', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.', 'Mona');
        const proxy = await startProxy(bench.server.address);
        try {
            const seen = [];
            for (const page of [own, ann]) {
                // Browsers keep the cookies of ports apart.
                const cookies = await page.context().cookies(bench.server.address);
                await page.context().addCookies(cookies.map(({ name, value }) => ({ name, value, url: proxy.address })));
                seen.push(await watch(page, page.url().replace(bench.server.address, proxy.address)));
            }
            await write(own, ann, 'one');
            assert.equal(await write(own, ann, 'two'), 'Own two. Own one. First. Hers one. Hers two.');
            assert.equal(proxy.refused, 2);
            for (const { frames, requests } of seen) assert.ok(frames === 0 && requests > 0);
            await eventually(async () => assert.match(await change.markdown(id), /Own two\. Own one\. First\. Hers one\. Hers two\./));
        } finally {
            proxy.stop();
        }
    });

    test('what is written goes by requests through a proxy that closes sockets', async () => {
        const { own, others: [ann] } = await begin(bench, 'First.', 'Nora');
        let closed = 0;
        for (const page of [own, ann]) {
            await page.routeWebSocket(/\/v1\/bindery\/connection$/, (socket) => {
                closed += 1;
                socket.onMessage(() => socket.close());
            });
        }
        const seen = [await watch(own), await watch(ann)];
        await write(own, ann, 'one');
        assert.equal(await write(own, ann, 'two'), 'Own two. Own one. First. Hers one. Hers two.');
        assert.equal(closed, 2);
        for (const { requests } of seen) assert.ok(requests > 0);
    });
});
