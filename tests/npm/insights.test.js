// Events of readers through the npm client: sent without a token, and questions about them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GitBookAPI } from '@gitbook/api';
import { startBindery, TOKEN } from './lib/bindery.js';

/** Returns an event of a visitor. */
function event(visitorId, more) {
    return {
        session: {
            visitorId,
            sessionId: `session of ${visitorId}`,
            cookies: {},
            userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0',
            language: 'en',
            referrer: null,
        },
        location: {
            url: 'https://docs.example.com/',
            siteSection: null,
            siteSpace: null,
            siteShareKey: null,
            space: null,
            revision: null,
            page: null,
        },
        ...more,
    };
}

describe('insights', () => {
    let bindery;
    let api;
    let organization;
    let site;

    before(async () => {
        bindery = await startBindery();
        api = new GitBookAPI({ endpoint: bindery.address, authToken: TOKEN });
        const { data: list } = await api.orgs.listOrganizationsForAuthenticatedUser();
        organization = list.items[0].id;
        const space = (await api.orgs.createSpace(organization, { title: 'Read' })).data.id;
        const made = await api.orgs.createSite(organization, { title: 'Site', spaces: [space] });
        site = made.data.id;
        await api.orgs.publishSite(organization, site);
    });

    after(async () => {
        assert.equal(await bindery?.stop(), 0, 'SIGTERM ends the server in order');
    });

    test('readers send events, and members ask about them', async () => {
        const reader = new GitBookAPI({ endpoint: bindery.address });
        const events = [
            event('one', { type: 'page_view' }),
            event('one', { type: 'search_type_query', query: 'zebra', results: 0 }),
            event('two', { type: 'search_type_query', query: 'zebra', results: 0 }),
            event('two', { type: 'search_type_query', query: 'price', results: 3 }),
        ];
        const sent = await reader.orgs.trackEventsInSiteById(organization, site, { events });
        assert.equal(sent.status, 204);
        const query = { column: 'eventSearchQuery' };
        const { data } = await api.orgs.aggregateSiteEvents(organization, site, {
            select: [query, { column: 'eventsCount' }, { column: 'visitorsCount' }],
            where: [{ column: 'eventSearchResults', operator: 'in', values: [0] }],
            groupBy: [query],
            order: { by: { column: 'eventsCount' }, direction: 'desc' },
            range: 'last30Days',
        });
        assert.deepEqual(data.columns, [
            { column: 'eventSearchQuery', values: ['zebra'] },
            { column: 'eventsCount', values: [2] },
            { column: 'visitorsCount', values: [2] },
        ]);
        const { data: segments } = await api.orgs.listSiteVisitorSegments(organization, site);
        assert.deepEqual(segments.items, []);
    });

    test('questions need a token', async () => {
        const reader = new GitBookAPI({ endpoint: bindery.address });
        const asked = reader.orgs.aggregateSiteEvents(organization, site, { range: 'lastYear' });
        await assert.rejects(asked, { code: 401 });
    });
});
