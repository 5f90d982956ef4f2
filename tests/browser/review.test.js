// A change request is discussed, reviewed and merged, its conflicts are resolved, and the history brings back what was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { cursor, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';
import { beginReview, selectBlock } from './lib/review.js';

/** Types a sentence at the end of the page and waits until it is stored. */
async function write({ page, change, id }, sentence) {
    await cursor(page, 'end');
    await page.keyboard.type(` ${sentence}`);
    await eventually(async () => assert.ok((await change.markdown(id)).includes(sentence)));
    await saved(page);
}

/** Comments on a block by the toolbar of the selection. */
async function comment({ page }, block, words) {
    await selectBlock(page, block);
    await page.getByRole('toolbar', { name: 'Format' }).getByRole('button', { name: 'Comment' }).click();
    await page.getByRole('textbox', { name: 'New comment' }).fill(words);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('article', { name: 'Comment of Administrator' }).getByText(words).waitFor();
}

/** Changes the same block in a change request and in the main content, and opens the review. */
async function conflict(bench) {
    const given = await beginReview(bench);
    const { api } = bench;
    const set = (change, markdown) => change.write([{ operation: 'update_page', page: given.id, document: { markdown } }]);
    await set(given.change, 'First block of the draft.\n\nSecond block of the draft.');
    const other = await api.startChange(given.space.id);
    await set(other, 'First block of the others.\n\nSecond block.');
    await other.merge();
    await given.page.goto(bench.address('s', given.space.id, '~', 'changes', given.number, '~', 'review'));
    return given;
}

flow('review', engines(), (bench) => {
    test('a comment belongs to the block that was selected', async () => {
        const given = await beginReview(bench);
        await comment(given, 'Second block.', 'Is this right?');
        const [{ target }] = await given.change.comments();
        assert.equal(target.page.id, given.id);
        const document = await given.change.document(given.id);
        assert.equal(document.nodes.find(({ key }) => key === target.node.id)?.nodes[0].leaves[0].text, 'Second block.');
    });

    test('a comment is answered, resolved and opened again', async () => {
        const given = await beginReview(bench);
        const { page, change } = given;
        await comment(given, 'First block.', 'A question');
        const said = page.getByRole('article', { name: 'Comment of Administrator' });
        await said.getByRole('button', { name: 'Reply' }).click();
        await page.getByRole('textbox', { name: 'New reply' }).fill('An answer');
        await page.keyboard.press('Control+Enter');
        await said.getByText('An answer').waitFor();
        await said.getByRole('button', { name: 'Resolve' }).click();
        await page.getByText('No comments yet.').waitFor();
        await page.getByRole('switch', { name: 'Show resolved comments' }).press('Space');
        await page.getByText('Resolved by Administrator').waitFor();
        await page.getByRole('article', { name: 'Comment of Administrator' }).getByRole('button', { name: 'Open again' }).first().click();
        await eventually(async () => {
            const [first] = await change.comments();
            assert.deepEqual([first?.status, first?.replies], ['open', 1]);
        });
    });

    test('a comment is deleted after a question', async () => {
        const given = await beginReview(bench);
        const { page, change } = given;
        await comment(given, 'First block.', 'To be deleted');
        const ask = async () => {
            await page.getByRole('button', { name: 'Actions of the comment of Administrator' }).click();
            await page.getByRole('menuitem', { name: 'Delete' }).click();
            return page.getByRole('alertdialog').or(page.getByRole('dialog'));
        };
        await (await ask()).getByRole('button', { name: 'Cancel' }).click();
        assert.equal((await change.comments()).length, 1);
        await (await ask()).getByRole('button', { name: 'Delete' }).click();
        await page.getByText('To be deleted').waitFor({ state: 'detached' });
        assert.equal((await change.comments()).length, 0);
    });

    test('the review shows what changed, and a merge brings it into the main content', async () => {
        const given = await beginReview(bench);
        const { page, space, id } = given;
        await write(given, 'A new sentence.');
        await page.getByRole('link', { name: 'Review', exact: true }).click();
        const changed = page.getByRole('article', { name: 'Draft' });
        await changed.getByText('A new sentence.').waitFor();
        await page.getByRole('button', { name: 'Approve' }).click();
        await page.getByText('The review was sent.').waitFor();
        await page.getByRole('button', { name: 'Merge', exact: true }).click();
        await page.getByText(`Change request ${given.number} was merged.`).waitFor();
        await textOf(page).getByText('A new sentence.').waitFor();
        assert.match(await bench.api.markdown(space.id, id), /A new sentence\./);
        assert.equal((await given.change.get()).status, 'merged');
    });

    test('a person who is asked for a review finds it on the home page and approves', async () => {
        const given = await beginReview(bench);
        const { page } = given;
        const reviewer = await bench.member('Rita', 'review');
        await write(given, 'To be reviewed.');
        await page.getByRole('button', { name: 'Request review' }).click();
        const dialog = page.getByRole('dialog', { name: 'Request review' });
        await dialog.getByRole('combobox', { name: 'People' }).fill('Rita');
        await page.getByRole('option', { name: 'Rita' }).click();
        await dialog.getByRole('textbox', { name: 'Subject' }).fill('A sentence');
        await dialog.getByRole('button', { name: 'Request review' }).click();
        await page.getByText('The review was requested.').waitFor();
        await reviewer.goto(bench.address());
        await reviewer.getByRole('link', { name: 'A sentence' }).click();
        await reviewer.getByRole('link', { name: 'Review', exact: true }).click();
        await reviewer.getByRole('textbox', { name: 'Comment of the review' }).fill('Well said');
        await reviewer.getByRole('button', { name: 'Approve' }).click();
        await page.reload();
        await page.getByRole('listitem').filter({ hasText: 'Rita' }).filter({ hasText: 'approved' }).first().waitFor();
    });

    for (const [side, button, text] of [
        ['the change request', 'Keep the change request\'s', 'First block of the draft.'],
        ['the main content', 'Use the main content\'s', 'First block of the others.'],
    ]) {
        test(`a conflict is decided for ${side}`, async () => {
            const { page, change, space, id } = await conflict(bench);
            await page.getByRole('button', { name: 'Merge', exact: true }).click();
            await page.getByText('There are conflicts. Resolve them to go on.').waitFor();
            await page.getByRole('button', { name: button }).click();
            await page.getByRole('heading', { name: 'Conflicts' }).waitFor({ state: 'detached' });
            await page.getByRole('button', { name: 'Merge', exact: true }).click();
            await eventually(async () => assert.equal((await change.get()).status, 'merged'));
            assert.ok((await bench.api.markdown(space.id, id)).includes(`${text}\n\nSecond block of the draft.`));
        });
    }

    test('the changes of a page are discarded', async () => {
        const given = await beginReview(bench);
        const { page, change, id } = given;
        await write(given, 'A mistake.');
        await page.getByRole('link', { name: 'Review', exact: true }).click();
        await page.getByRole('button', { name: 'Discard changes of Draft' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
        await page.getByText('The changes of “Draft” were discarded.').waitFor();
        assert.doesNotMatch(await change.markdown(id), /A mistake/);
    });

    test('the history shows a merge and restores what was before', async () => {
        const { page, space, id, change } = await beginReview(bench);
        await change.write([{ operation: 'update_page', page: id, document: { markdown: 'Something else.' } }]);
        await change.merge();
        await page.goto(bench.address('s', space.id));
        await page.getByRole('link', { name: 'History' }).click();
        await page.getByRole('link', { name: 'Changes: First pages' }).click();
        await page.getByText('Page added').waitFor();
        await page.getByRole('button', { name: 'Restore this revision' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Restore this revision' }).click();
        await page.getByText('The revision is restored').waitFor();
        assert.match(await bench.api.markdown(space.id, id), /First block\./);
    });

    test('a change request is archived, and Undo opens it again', async () => {
        const { page, change } = await beginReview(bench);
        const choose = async (name) => {
            await page.getByRole('button', { name: 'More actions of the change request' }).click();
            await page.getByRole('menuitem', { name }).click();
        };
        await choose('Archive');
        await page.getByText('This change request is closed.').waitFor();
        assert.equal((await change.get()).status, 'archived');
        await page.getByRole('button', { name: 'Undo' }).click();
        await eventually(async () => assert.equal((await change.get()).status, 'draft'));
    });
});
