// Waits until a page has loaded what it shows.

/** Milliseconds without a request after which a page counts as loaded. */
const QUIET = 300;

/** The requests of pages that have not ended, and the time of the last end. */
const watched = new WeakMap();

/** Begins to watch the requests of a page, except for those that go on for as long as a page is written together. */
export function watchRequests(page) {
    if (watched.has(page)) return;
    const state = { open: new Set(), last: Date.now() };
    watched.set(page, state);
    const ended = (request) => {
        state.open.delete(request);
        state.last = Date.now();
    };
    page.on('request', (request) => {
        if (!request.url().includes('follow=true')) state.open.add(request);
    });
    page.on('requestfinished', ended).on('requestfailed', ended);
}

/** Waits until all watched requests of a page have ended. */
export async function quiet(page) {
    await page.waitForLoadState('load');
    const state = watched.get(page);
    const end = Date.now() + 15_000;
    while (state.open.size > 0 || Date.now() - state.last < QUIET) {
        if (Date.now() > end) throw new Error(`still loading: ${[...state.open].map((request) => request.url())}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
