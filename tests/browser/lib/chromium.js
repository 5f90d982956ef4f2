// Finds and starts the browser.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** The reason for which tests are skipped if there is no browser. */
export const HOW_TO_INSTALL =
    'no browser was found: install Chromium (Debian and Ubuntu: apt-get install chromium) or set CHROMIUM to its program';

/** Returns the path of the browser, or undefined if there is none. */
export function browserProgram() {
    if (process.env.CHROMIUM) {
        return process.env.CHROMIUM;
    }
    const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
        const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
        if (found) {
            return found;
        }
    }
    return undefined;
}

/** Starts the browser without a window, with more arguments if they are given. */
export function startBrowser(more = []) {
    // Chromium refuses its sandbox to the user root, as which containers often run tests.
    const args = process.getuid?.() === 0 ? ['--no-sandbox', ...more] : more;
    return chromium.launch({ executablePath: browserProgram(), args });
}
