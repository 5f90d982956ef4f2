// From a Git repository to a published page, with the npm client of the contract.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GitBookAPI, GitBookAPIError } from '@gitbook/api';
import { startBindery, TOKEN } from './lib/bindery.js';
import { startGitServer } from './lib/git-server.js';

/** A PNG image of one red pixel. */
const PICTURE = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
    'base64',
);

const REPOSITORY = {
    'README.md': '# Handbook\n\nWelcome to the *handbook*.\n',
    'SUMMARY.md':
        '# Table of contents\n\n* [Handbook](README.md)\n\n## Guides\n\n' +
        '* [Set up](guides/set-up.md)\n  * [On a server](guides/server.md)\n',
    'guides/set-up.md':
        '---\ndescription: From nothing to running\n---\n\n# Set up\n\n' +
        '{% hint style="info" %}\nKeep the **token**.\n{% endhint %}\n\n## Steps\n\n' +
        '```sh\nbindery serve\n```\n\n![A picture](../.gitbook/assets/dot.png)\n',
    'guides/server.md': '# On a server\n\nSee [Set up](set-up.md).\n',
    '.gitbook/assets/dot.png': PICTURE,
};

/** Polls until a result is available, far longer than an import of four pages takes. */
async function until(what, ask) {
    const end = Date.now() + 60_000;
    while (Date.now() < end) {
        const answer = await ask();
        if (answer !== undefined) {
            return answer;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`waited in vain for ${what}`);
}

/** Lists all pages of a tree, depth first. */
function flatten(pages) {
    return pages.flatMap((page) => [page, ...flatten(page.pages ?? [])]);
}

describe('the main job', () => {
    let bindery;
    let repository;
    let api;
    let organization;
    let space;
    let revision;
    let commit;

    before(async () => {
        repository = await startGitServer();
        commit = repository.commit('First pages', REPOSITORY);
        bindery = await startBindery();
        api = new GitBookAPI({ endpoint: bindery.address, authToken: TOKEN });
    });

    after(async () => {
        await repository?.stop();
        assert.equal(await bindery?.stop(), 0, 'SIGTERM ends the server in order');
    });

    test('the server says what it is, without a token', async () => {
        const anonymous = new GitBookAPI({ endpoint: bindery.address });
        const { data } = await anonymous.getApiInformation();
        assert.equal(typeof data.version, 'string');
    });

    test('a wrong token is refused with a message', async () => {
        const stranger = new GitBookAPI({ endpoint: bindery.address, authToken: 'no-such-token' });
        await assert.rejects(stranger.user.getAuthenticatedUser(), (error) => {
            assert.ok(error instanceof GitBookAPIError);
            assert.equal(error.code, 401);
            assert.ok(error.errorMessage.length > 0);
            return true;
        });
    });

    test('the caller and the organization are there', async () => {
        const { data: user } = await api.user.getAuthenticatedUser();
        assert.equal(user.object, 'user');
        const { data: list } = await api.orgs.listOrganizationsForAuthenticatedUser();
        assert.equal(list.items.length, 1);
        const { data } = await api.orgs.getOrganizationById(list.items[0].id);
        assert.equal(data.id, list.items[0].id);
        organization = data.id;
    });

    test('a space is created and listed', async () => {
        const { data } = await api.orgs.createSpace(organization, { title: 'Handbook' });
        assert.equal(data.object, 'space');
        assert.equal(data.title, 'Handbook');
        space = data.id;
        assert.equal((await api.spaces.getSpaceById(space)).data.id, space);
        const { data: list } = await api.orgs.listSpacesInOrganizationById(organization);
        assert.ok(list.items.some((item) => item.id === space));
    });

    test('a list is read page by page, each item once', async () => {
        await api.orgs.createSpace(organization, { title: 'Another' });
        const seen = [];
        let page;
        do {
            const query = page ? { limit: 1, page } : { limit: 1 };
            const { data } = await api.orgs.listSpacesInOrganizationById(organization, query);
            seen.push(...data.items.map((item) => item.id));
            page = data.next?.page;
        } while (page);
        assert.ok(seen.length >= 2);
        assert.equal(new Set(seen).size, seen.length);
    });

    test('a repository is imported', async () => {
        await api.spaces.importGitRepository(space, { url: repository.url, ref: 'refs/heads/main' });
        revision = await until('the import', async () => {
            const { data } = await api.spaces.getCurrentRevision(space);
            return data.git?.oid === commit ? data : undefined;
        });
        assert.equal(revision.git.message.trim(), 'First pages');
        const info = await api.spaces.getSpaceGitInfo(space);
        assert.equal(info.data.url, repository.url);
    });

    test('the revision has the tree of the summary', async () => {
        const { data } = await api.spaces.getRevisionById(space, revision.id, { metadata: true });
        assert.equal(data.id, revision.id);
        const paths = flatten(data.pages).map((page) => `${page.type} ${page.path}`);
        assert.deepEqual(paths, [
            'document readme',
            'group guides',
            'document guides/set-up',
            'document guides/set-up/server',
        ]);
    });

    test('pages are listed and read by id and by path', async () => {
        const { data: list } = await api.spaces.listPages(space);
        assert.equal(flatten(list.pages).length, 4);
        const { data: page } = await api.spaces.getPageByPath(space, 'guides/set-up');
        assert.equal(page.title, 'Set up');
        assert.equal(page.description, 'From nothing to running');
        const { data: same } = await api.spaces.getPageById(space, page.id);
        assert.equal(same.id, page.id);
        const encoded = encodeURIComponent('guides/set-up');
        const { data: fixed } = await api.spaces.getPageInRevisionByPath(space, revision.id, encoded);
        assert.equal(fixed.id, page.id);
        await assert.rejects(api.spaces.getPageByPath(space, 'no/such'), { code: 404 });
    });

    test('a page is read as a document and as Markdown', async () => {
        const { data: page } = await api.spaces.getPageByPath(space, 'guides/set-up');
        const { data: document } = await api.spaces.getPageDocumentInRevisionById(
            space,
            revision.id,
            page.id,
            { evaluated: 'deterministic-only' },
        );
        const types = document.nodes.map((node) => node.type);
        assert.deepEqual(types, ['hint', 'heading-1', 'code', 'images']);
        assert.equal(document.nodes[0].data.style, 'info');
        const { data: text } = await api.spaces.getPageById(space, page.id, { format: 'markdown' });
        assert.match(text.markdown, /^# Set up\n/);
        assert.match(text.markdown, /bindery serve/);
        if (page.documentId) {
            const byId = await api.spaces.getDocumentById(space, page.documentId);
            assert.deepEqual(byId.data.nodes.map((node) => node.type), types);
        }
    });

    test('files are listed with their size and can be downloaded', async () => {
        const { data: list } = await api.spaces.listFiles(space);
        assert.equal(list.items.length, 1);
        const { data: file } = await api.spaces.getFileById(space, list.items[0].id);
        assert.equal(file.name, 'dot.png');
        assert.equal(file.contentType, 'image/png');
        assert.equal(file.size, PICTURE.length);
        assert.deepEqual(file.dimensions, { width: 1, height: 1 });
        const download = await fetch(file.downloadURL);
        assert.deepEqual(Buffer.from(await download.arrayBuffer()), PICTURE);
    });

    test('a site is published, read and taken back', async () => {
        const { data: site } = await api.orgs.createSite(organization, {
            title: 'Handbook',
            visibility: 'public',
        });
        await api.orgs.addSpaceToSite(organization, site.id, { spaceId: space });
        const { data: spaces } = await api.orgs.listSiteSpaces(organization, site.id);
        assert.deepEqual(spaces.items.map((item) => item.space.id), [space]);
        const { data: published } = await api.orgs.publishSite(organization, site.id);
        const { data: known } = await api.orgs.getSiteById(organization, site.id);
        assert.equal(known.urls.published, published.urls.published);

        const base = published.urls.published.replace(/\/$/, '');
        const front = await fetch(`${base}/`);
        assert.equal(front.status, 200);
        assert.match(await front.text(), /Welcome to the <em>handbook<\/em>/);
        const page = await fetch(`${base}/guides/set-up`);
        const html = await page.text();
        assert.equal(page.status, 200);
        assert.match(html, /<h1[^>]*>\s*Set up/);
        assert.match(html, /class="hint hint-info"/);
        assert.match(html, /<img[^>]+width="1"/);
        assert.doesNotMatch(html, /<script(?![^>]*(?:src=|application\/ld\+json))/, 'the page is complete without scripts');

        await api.orgs.unpublishSite(organization, site.id);
        assert.equal((await fetch(`${base}/guides/set-up`)).status, 404);
    });

    test('a second import brings the change', async () => {
        const before = await api.spaces.getPageByPath(space, 'guides/set-up/server');
        commit = repository.commit('A change', {
            'guides/server.md': '# On a server\n\nNow changed.\n',
        });
        await api.spaces.importGitRepository(space, { url: repository.url, ref: 'refs/heads/main' });
        await until('the second import', async () => {
            const { data } = await api.spaces.getCurrentRevision(space);
            return data.git?.oid === commit ? data : undefined;
        });
        const { data: page } = await api.spaces.getPageByPath(space, 'guides/set-up/server', {
            format: 'markdown',
        });
        assert.match(page.markdown, /Now changed/);
        assert.equal(page.id, before.data.id, 'a page keeps its id');
    });

    test('what cannot be imported is refused with a reason', async () => {
        for (const url of ['file:///etc/passwd', 'not an address', 'ssh://git@127.0.0.1/x']) {
            const data = { url, ref: 'main' };
            await assert.rejects(api.spaces.importGitRepository(space, data), { code: 400 }, url);
        }
    });
});
