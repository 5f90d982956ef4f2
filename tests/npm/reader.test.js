// The script of published pages, in a page of which it sees only what these tests put there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import vm from 'node:vm';

const SCRIPT = readFileSync(new URL('../../crates/site/assets/reader.js', import.meta.url), 'utf8');

/** An element with a tag, a text and children. Like those of browsers, it takes only elements. */
class Part {
    constructor(tag, text = '', children = []) {
        Object.assign(this, { tag, textContent: text, children, dataset: {}, handlers: {} });
    }

    addEventListener(name, run) {
        this.handlers[name] = run;
    }

    contains(other) {
        if (other !== null && !(other instanceof Part)) throw new TypeError('not an element');
        return other === this || this.children.some((child) => child.contains(other));
    }

    querySelector(selector) {
        return this.children.find((child) => child.tag === selector) ?? null;
    }

    getBoundingClientRect() {
        return { top: 0 };
    }
}

/** Runs the script on a page with tabs. Returns the tabs, and the names of the page's handlers. */
function load({ titles, hash = '', remembered = null }) {
    const summaries = titles.map((title) => new Part('summary', title));
    const tabs = summaries.map((summary, at) =>
        Object.assign(new Part('details', '', [summary]), { id: `tab-${at}`, open: at === 0 }));
    const group = new Part('div', '', tabs);
    const handlers = {};
    const stored = { tabs: remembered && JSON.stringify(remembered) };
    const document = Object.assign(new Part('html'), {
        currentScript: { dataset: {} },
        documentElement: new Part('html'),
        getElementById: (id) => tabs.find((tab) => tab.id === id) ?? null,
        querySelectorAll: (selector) => (selector === '.tabs' ? [group] : []),
        querySelector: () => null,
        addEventListener: (name, run) => (handlers[name] = run),
    });
    vm.runInNewContext(SCRIPT, {
        document,
        location: { hash, href: 'https://docs.example/', origin: 'https://docs.example' },
        localStorage: {
            getItem: (key) => stored[key] ?? null,
            setItem: (key, value) => (stored[key] = value),
        },
        matchMedia: () => new Part('media'),
        navigator: {},
        CSS: { supports: () => true },
        ResizeObserver: class {},
        IntersectionObserver: class {},
        addEventListener: () => {},
        requestAnimationFrame: (run) => run(),
        scrollBy: () => {},
    });
    handlers.DOMContentLoaded();
    const open = () => tabs.filter((tab) => tab.open).map((tab) => tab.children[0].textContent);
    return { summaries, open, stored, handlers };
}

describe('tabs of published pages', () => {
    const titles = ['Debian', 'Fedora'];

    test('a chosen tab is stored', () => {
        const page = load({ titles });
        assert.deepEqual(page.open(), ['Debian']);
        page.summaries[1].handlers.click({ preventDefault() {} });
        assert.deepEqual(JSON.parse(page.stored.tabs), ['Fedora']);
    });

    test('a stored tab is open on a page without a fragment, and the rest of the script runs', () => {
        const page = load({ titles, remembered: ['Fedora'] });
        assert.deepEqual(page.open(), ['Fedora']);
        assert(page.handlers.pointerover, 'pages load ahead');
    });

    test('the tab that the address names stays open', () => {
        assert.deepEqual(load({ titles, remembered: ['Fedora'], hash: '#tab-0' }).open(), ['Debian']);
        assert.deepEqual(load({ titles, remembered: ['Fedora'], hash: '#x' }).open(), ['Fedora']);
    });
});
