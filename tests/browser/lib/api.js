// The API as another program uses it, to prepare tests and to see what is stored.
import { TOKEN } from './server.js';

/** Repeats a check until it throws nothing, and returns its result. Fails with its last error after 20 seconds. */
export async function eventually(check) {
    const end = Date.now() + 20_000;
    for (;;) {
        try {
            return await check();
        } catch (error) {
            if (Date.now() > end) {
                throw error;
            }
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

export class Api {
    constructor(address, token = TOKEN) {
        this.address = address;
        this.token = token;
    }

    async call(method, path, body) {
        const response = await fetch(`${this.address}/v1${path}`, {
            method,
            headers: { authorization: `Bearer ${this.token}`, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        if (!response.ok) {
            throw new Error(`${method} ${path}: ${response.status} ${text}`);
        }
        return text === '' ? undefined : JSON.parse(text);
    }

    get = (path) => this.call('GET', path);
    post = (path, body = {}) => this.call('POST', path, body);

    /** Returns the id of the organization. */
    async organization() {
        return (await this.get('/orgs')).items[0].id;
    }

    /** Creates a space with the given pages, each with a title, its Markdown and the pages below it. */
    async createSpace(title, pages) {
        const space = await this.post(`/orgs/${await this.organization()}/spaces`, { title });
        const change = await this.startChange(space.id, 'First pages');
        const ids = {};
        const insert = async (list, into) => {
            for (const [at, page] of list.entries()) {
                const answer = await change.write([
                    { operation: 'insert_page', at, ...(into && { into }), title: page.title, document: { markdown: page.markdown ?? '' } },
                ]);
                ids[page.title] = answer.changes.find(({ object }) => object === 'created_page').page.id;
                await insert(page.pages ?? [], ids[page.title]);
            }
        };
        await insert(pages);
        await change.merge();
        return { id: space.id, title, pages: ids };
    }

    /** Returns the address at which an invitation is accepted. */
    async invitationAddress(email) {
        const { items } = await this.get(`/bindery/orgs/${await this.organization()}/invitations`);
        return items.find((one) => one.email === email).urls.accept;
    }

    /** Starts a change request and returns what is done with it. */
    async startChange(space, subject = '') {
        return this.change(space, (await this.post(`/spaces/${space}/change-requests`, { subject })).number);
    }

    /** Returns what is done with a change request. */
    change(space, number) {
        const path = `/spaces/${space}/change-requests/${number}`;
        return {
            number,
            get: () => this.get(path),
            write: (changes) => this.post(`${path}/content?compat=false`, { changes }),
            pages: async () => (await this.get(`${path}/content/pages`)).pages,
            markdown: async (page) => (await this.get(`${path}/content/page/${page}?format=markdown`)).markdown,
            document: async (page) => (await this.get(`${path}/content/page/${page}?format=document`)).document,
            files: async () => (await this.get(`${path}/content/files`)).items,
            comments: async () => (await this.get(`${path}/comments`)).items,
            merge: () => this.post(`${path}/merge`),
        };
    }

    /** Returns the Markdown of a page of the main content. */
    async markdown(space, page) {
        return (await this.get(`/spaces/${space}/content/page/${page}?format=markdown`)).markdown;
    }

    /** Returns the revisions of the main content, newest first. */
    async history(space) {
        return (await this.get(`/bindery/spaces/${space}/history`)).items;
    }

    /** Returns the drafts and the open change requests of a space. */
    async changes(space) {
        const found = await Promise.all(['draft', 'open'].map((status) => this.get(`/spaces/${space}/change-requests?status=${status}`)));
        return found.flatMap(({ items }) => items);
    }

    /** Returns the pages of the main content. */
    async pages(space) {
        return (await this.get(`/spaces/${space}/content/pages`)).pages;
    }
}
