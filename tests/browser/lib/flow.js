// Runs the tests of one flow on each database, each with a server and a browser of its own.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import { Api } from './api.js';
import { browserProgram, HOW_TO_INSTALL, startBrowser } from './chromium.js';
import { createDatabase } from './database.js';
import { accept } from './person.js';
import { startServer, TOKEN } from './server.js';
import { useBuild } from './web.js';

/** Time limit for all tests of a flow, in milliseconds: several times what they need, because other programs may run on the machine. */
const TIMEOUT = 900_000;

/** What the tests of a flow share. */
class Bench {
    #database;
    #browser;
    #contexts = [];
    #faults = [];

    async start(engine, variables) {
        this.#database = await createDatabase(engine);
        this.server = await startServer(this.#database.address, variables);
        this.#browser = await startBrowser();
        this.api = new Api(this.server.address);
        this.organization = await this.api.organization();
    }

    /** Returns a new page of a browser that nobody has used before. */
    async visit(options = {}) {
        const context = await this.#browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en', ...options });
        context.setDefaultTimeout(15_000);
        this.#contexts.push(context);
        await useBuild(context);
        return this.open(context);
    }

    /** Returns a new page of a browser in which the owner is signed in. */
    async signIn(options) {
        const page = await this.visit(options);
        await page.request.post(`${this.server.address}/v1/bindery/sign-in`, { data: { token: TOKEN } });
        return page;
    }

    /** Invites a person with a role and returns a page of their browser, in which they have accepted. */
    async member(name, role) {
        const email = `${name.toLowerCase()}@example.org`;
        await this.api.post(`/orgs/${this.organization}/invites`, { emails: [email], role });
        const page = await this.visit();
        await accept(page, await this.api.invitationAddress(email), name);
        return page;
    }

    /** Opens another page of the same browser. */
    async open(context) {
        const page = await context.newPage();
        page.on('pageerror', (error) => {
            // Chromium reports it as an error that one of two pages does not fade into the other.
            if (!/ViewTransition|^Transition was/.test(error.message)) {
                this.#faults.push(`${error} ${error.stack}`);
            }
        });
        page.on('console', (message) => {
            // The browser itself reports requests and sockets that fail, as they do while the server is down.
            if (message.type() === 'error' && !/^(Failed to load resource|WebSocket connection to )/.test(message.text())) {
                this.#faults.push(`${message.text()} (${message.location().url})`);
            }
        });
        return page;
    }

    /** Returns the address of a place in the application, such as that of a space. */
    address(...path) {
        return `${this.server.address}/app/${['o', this.organization, ...path].join('/')}`;
    }

    /** Closes what a test has opened. Fails if the application reported an error meanwhile. */
    async endTest() {
        const faults = this.#faults.splice(0);
        await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
        assert.deepEqual(faults, [], 'the console of the browser shows no errors');
    }

    async stop() {
        await this.#browser?.close();
        await this.server?.stop();
        await this.#database?.drop();
    }
}

/**
 * Defines the tests of a flow on some databases, whose servers get the given variables of the
 * environment. They are skipped, with the reason, where there is no browser.
 */
export function flow(name, databases, define, variables) {
    const skip = browserProgram() === undefined && HOW_TO_INSTALL;
    for (const engine of databases) {
        describe(`${name}, on ${engine}`, { skip, timeout: TIMEOUT }, () => {
            const bench = new Bench();
            before(() => bench.start(engine, variables));
            afterEach(() => bench.endTest());
            after(() => bench.stop());
            define(bench);
        });
    }
}
