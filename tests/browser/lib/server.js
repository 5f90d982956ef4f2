// Starts the server under test: the binary in BINDERY_BIN with an empty store, which can be killed and started again.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const TOKEN = 'token-of-the-browser-tests';

/** Starts the program and returns its process, what ends with it, and its address. */
async function launch(folder, listen, database, variables = {}) {
    const binary = process.env.BINDERY_BIN;
    if (!binary) {
        throw new Error('BINDERY_BIN names no binary: build one with `cargo build` and set its path');
    }
    // The developer's own configuration must not affect the server.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BINDERY_'));
    const child = spawn(binary, ['serve', '--data', folder, '--listen', listen], {
        env: {
            ...Object.fromEntries(inherited),
            BINDERY_SETUP_TOKEN: TOKEN,
            ...(database && { BINDERY_DATABASE_URL: database }),
            ...variables,
        },
        stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const address = await new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
            const found = /^bindery listening on (http:\/\/\S+)/.exec(line);
            if (found) {
                resolve(found[1].replace(/\/$/, ''));
            }
        });
        child.once('error', reject);
        ended.then((code) => reject(new Error(`the server ended with ${code}`)));
    });
    return { child, ended, address };
}

/** Starts a server in a new folder, with SQLite or with the PostgreSQL database of an address, and with more variables of the environment. */
export async function startServer(database, variables) {
    const folder = await mkdtemp(join(tmpdir(), 'bindery-browser-'));
    let running = await launch(folder, '127.0.0.1:0', database, variables);
    const { address } = running;
    return {
        address,
        /** Ends the server as a failure of the machine would. */
        async kill() {
            running.child.kill('SIGKILL');
            await running.ended;
        },
        /** Starts the killed server again at its address, with its store. */
        async restart() {
            running = await launch(folder, new URL(address).host, database, variables);
        },
        async stop() {
            running.child.kill('SIGTERM');
            await running.ended;
            await rm(folder, { recursive: true, force: true });
        },
    };
}
