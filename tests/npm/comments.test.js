// Comments on a change request through the npm client: Markdown bodies, replies, resolving.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { GitBookAPI } from '@gitbook/api';
import { startBindery, TOKEN } from './lib/bindery.js';

describe('comments', () => {
    let bindery;
    let api;
    let space;
    let change;
    let comment;

    before(async () => {
        bindery = await startBindery();
        api = new GitBookAPI({ endpoint: bindery.address, authToken: TOKEN });
        const { data: list } = await api.orgs.listOrganizationsForAuthenticatedUser();
        space = (await api.orgs.createSpace(list.items[0].id, { title: 'Discussed' })).data.id;
        change = (await api.spaces.createChangeRequest(space, { subject: 'A change' })).data.id;
    });

    after(async () => {
        assert.equal(await bindery?.stop(), 0, 'SIGTERM ends the server in order');
    });

    test('a comment is posted and read as Markdown', async () => {
        const body = { markdown: 'Is this **right**?' };
        const { data } = await api.spaces.postCommentInChangeRequest(space, change, { body });
        comment = data.id;
        const { data: list } = await api.spaces.listCommentsInChangeRequest(space, change, {
            format: 'markdown',
            status: 'open',
        });
        assert.deepEqual(list.items.map((item) => item.id), [comment]);
        assert.equal(list.items[0].body.markdown.trim(), 'Is this **right**?');
        assert.equal(list.items[0].target.changeRequest, change);
    });

    test('it is answered, resolved and counted', async () => {
        const body = { markdown: 'It is.' };
        await api.spaces.postCommentReplyInChangeRequest(space, change, comment, { body });
        const { data: replies } = await api.spaces.listCommentRepliesInChangeRequest(
            space,
            change,
            comment,
        );
        assert.equal(replies.items[0].body.document.object, 'document');
        const counted = async () =>
            (await api.spaces.getChangeRequestById(space, change)).data.comments;
        assert.equal(await counted(), 1);
        const { data } = await api.spaces.updateCommentInChangeRequest(space, change, comment, {
            resolved: true,
            addedReactions: ['1f44d'],
        });
        assert.equal(data.status, 'resolved');
        assert.equal(data.replies, 1);
        assert.equal(data.reactions[0].count, 1);
        assert.equal(await counted(), 0);
    });

    test('a comment on the space is posted and deleted', async () => {
        const body = { markdown: 'About all of it.' };
        const { data } = await api.spaces.postCommentInSpace(space, { body });
        const { data: people } = await api.spaces.listCommentersInSpace(space);
        assert.deepEqual(people.items.map((item) => item.id), [data.postedBy.id]);
        await api.spaces.deleteCommentInSpace(space, data.id);
        await assert.rejects(api.spaces.getCommentInSpace(space, data.id), { code: 404 });
    });
});
