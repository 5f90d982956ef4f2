// Searches through the npm client: a space, an organization, and a site in both forms of the body.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GitBookAPI } from '@gitbook/api';
import { startBindery, TOKEN } from './lib/bindery.js';

/** Time limit for the index, far longer than needed, in milliseconds. */
const TIMEOUT = 60_000;
/** Time between two searches, in milliseconds. */
const POLL_INTERVAL = 20;

describe('search', () => {
    let bindery;
    let api;
    let organization;
    let space;
    let site;

    before(async () => {
        bindery = await startBindery();
        api = new GitBookAPI({ endpoint: bindery.address, authToken: TOKEN });
        const { data: list } = await api.orgs.listOrganizationsForAuthenticatedUser();
        organization = list.items[0].id;
        space = (await api.orgs.createSpace(organization, { title: 'Searched' })).data.id;
        site = (await api.orgs.createSite(organization, { title: 'Site', spaces: [space] })).data;
        const { data: change } = await api.spaces.createChangeRequest(space, { subject: 'Page' });
        const markdown = 'First.\n\n## Set up\n\nCall `getUserById` once.\n';
        // The client has no method for changes of content.
        const path = `/v1/spaces/${space}/change-requests/${change.id}/content`;
        const changed = await fetch(`${bindery.address}${path}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
            body: JSON.stringify({
                changes: [{ operation: 'insert_page', title: 'Users', document: { markdown } }],
            }),
        });
        assert.equal(changed.status, 200, await changed.text());
        await api.spaces.mergeChangeRequest(space, change.id);
        const deadline = Date.now() + TIMEOUT;
        while ((await api.spaces.searchSpaceContent(space, { query: 'once' })).data.count !== 1) {
            assert(Date.now() < deadline, 'the page is found');
            await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
        }
    });

    after(async () => {
        assert.equal(await bindery?.stop(), 0, 'SIGTERM ends the server in order');
    });

    test('a space is searched', async () => {
        const { data } = await api.spaces.searchSpaceContent(space, { query: 'user by id' });
        const [page] = data.items;
        assert.equal(page.title, 'Users');
        assert.equal(page.path, 'users');
        assert.equal(page.sections[0].path, 'users#set-up');
        assert.equal(page.sections[0].body, 'Call getUserById once.');
    });

    test('an organization is searched', async () => {
        const { data } = await api.orgs.searchOrganizationContent(organization, {
            query: 'getUserById',
        });
        // The sample of the server can match too.
        const [{ id, title }] = data.items;
        assert.deepEqual({ id, title }, { id: space, title: 'Searched' });
        assert.equal(data.items[0].pages[0].title, 'Users');
    });

    test('a site is searched in both forms', async () => {
        const { data: variants } = await api.orgs.listSiteSpaces(organization, site.id);
        const siteSpaceId = variants.items[0].id;
        for (const where of [
            { scope: { mode: 'all' } },
            { scope: { mode: 'default', currentSiteSpace: siteSpaceId } },
            { scope: { mode: 'specific', siteSpaceIds: [siteSpaceId] } },
            { mode: 'current', siteSpaceId },
            { mode: 'specific', siteSpaceIds: [siteSpaceId] },
            { mode: 'all' },
        ]) {
            const body = { query: 'getUserById', ...where };
            const { data } = await api.orgs.searchSiteContent(organization, site.id, body);
            assert.equal(data.items[0]?.pages[0].title, 'Users', JSON.stringify(where));
        }
    });
});
