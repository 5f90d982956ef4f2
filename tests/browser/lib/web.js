// Replaces the built-in application by another build, to test it before it is built into the binary.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

/** Serves the application from the folder in BINDERY_WEB, such as `web/dist`, if it is set. */
export async function useBuild(context) {
    const folder = process.env.BINDERY_WEB;
    if (!folder) {
        return;
    }
    // Chromium does not know from which network the page comes, and lets it open no socket to this machine.
    await context.grantPermissions(['local-network-access']);
    const answer = async (route, path) => {
        const file = join(folder, normalize(path));
        // The browser follows redirects by itself, so that these lead to the built-in application. It
        // asks for a script that the other build does not have, and loads the page again.
        if (!existsSync(file)) {
            return extname(file) === '.js' ? route.fulfill({ contentType: TYPES['.js'], body: 'location.reload()' }) : route.continue();
        }
        return route.fulfill({ contentType: TYPES[extname(file)] ?? 'application/octet-stream', body: await readFile(file) });
    };
    await context.route('**/app/assets/**', (route) => answer(route, new URL(route.request().url()).pathname.slice('/app/'.length)));
    await context.route(/\/app(\/(o\/.*)?)?(\?.*)?$/, (route) => answer(route, 'index.html'));
}
