// Starts the server under test: the binary in BINDERY_BIN, with an empty store.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const TOKEN = 'token-of-the-npm-client-tests';

/** Starts the server and waits until it listens. */
export async function startBindery() {
    const binary = process.env.BINDERY_BIN;
    if (!binary) {
        throw new Error('BINDERY_BIN names no binary: run `cargo xtask test`');
    }
    const folder = await mkdtemp(join(tmpdir(), 'bindery-npm-'));
    // The developer's own configuration must not affect the server.
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BINDERY_'));
    const child = spawn(binary, ['serve', '--data', folder, '--listen', '127.0.0.1:0'], {
        env: {
            ...Object.fromEntries(inherited),
            BINDERY_SETUP_TOKEN: TOKEN,
            BINDERY_OUTBOUND_ALLOW: '127.0.0.0/8',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const lines = createInterface({ input: child.stdout });
    const address = await new Promise((resolve, reject) => {
        lines.on('line', (line) => {
            const found = /^bindery listening on (http:\/\/\S+)/.exec(line);
            if (found) {
                resolve(found[1].replace(/\/$/, ''));
            }
        });
        child.once('error', reject);
        ended.then((code) => reject(new Error(`the server ended with ${code}`)));
    });
    return {
        address,
        /** Stops the server and returns its exit code. */
        async stop() {
            child.kill('SIGTERM');
            const code = await ended;
            await rm(folder, { recursive: true, force: true });
            return code;
        },
    };
}
