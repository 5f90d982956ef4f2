// A reviewer suggests changes of a page, and the author accepts and refuses them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { cursor, edit, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Opens a page of a change request in the window of its author and in that of a reviewer, who suggests. */
async function begin(bench, markdown, name) {
    const space = await bench.api.createSpace('Suggestions', [{ title: 'Draft', markdown }]);
    const id = space.pages.Draft;
    const own = await bench.signIn();
    const number = await edit(own, bench.address('s', space.id, id));
    const change = bench.api.change(space.id, number);
    const reviewer = await bench.member(name, 'edit');
    await reviewer.goto(bench.address('s', space.id, '~', 'changes', number, id));
    await suggest(reviewer, true);
    return { own, reviewer, markdown: () => change.markdown(id) };
}

/** Switches the mode of suggestions on or off. */
async function suggest(page, isOn) {
    await page.getByRole('button', { name: 'Suggest', exact: true, pressed: !isOn }).click();
    await page.getByRole('button', { name: 'Suggest', exact: true, pressed: isOn }).waitFor();
    await textOf(page).waitFor();
}

const bar = (page) => page.getByRole('region', { name: 'Suggestions' });

/** Waits until a window marks exactly these texts as added and as removed. */
const marked = (page, added, removed) =>
    eventually(async () => {
        const found = async (kind) => (await textOf(page).locator(`.suggestion-${kind}`).allTextContents()).join('|');
        assert.deepEqual([await found('added'), await found('removed')], [added, removed]);
    });

/** Returns the text of a window without what is only shown beside it. */
const plainText = (page) =>
    textOf(page).evaluate((text) => {
        const copy = text.cloneNode(true);
        for (const beside of copy.querySelectorAll('.caret, ins.suggestion, del.suggestion')) beside.remove();
        return [...copy.children].map((block) => block.textContent).join('\n');
    });

const shows = (page, text) => eventually(async () => assert.equal(await plainText(page), text));

/** Deletes characters before the end of the text. */
async function deleteAtEnd(page, count) {
    await cursor(page, 'end');
    for (let at = 0; at < count; at += 1) await page.keyboard.press('Backspace');
}

flow('suggestions', engines(), (bench) => {
    test('the author accepts one suggestion and refuses the other, each with one key', async () => {
        const { own, reviewer, markdown } = await begin(bench, 'First words.\n\nSecond words.', 'Ann');
        assert.equal(await reviewer.getByRole('textbox', { name: 'Title' }).count(), 0);
        await cursor(reviewer, 'start');
        await reviewer.keyboard.type('New ');
        await deleteAtEnd(reviewer, ' words.'.length);
        await marked(reviewer, 'New ', ' words.');
        await saved(reviewer);
        await marked(own, 'New ', ' words.');
        await shows(own, 'First words.\nSecond words.');
        await shows(reviewer, 'New First words.\nSecond');
        assert.match(await markdown(), /^First words\.\n\nSecond words\.\s*$/m);

        await bar(own).getByText('2 suggestions').waitFor();
        await bar(own).getByRole('button', { name: 'Next suggestion' }).click();
        await bar(own).getByText('Suggestion 1 of 2').waitFor();
        await own.keyboard.press('a');
        await bar(own).getByText('Suggestion 1 of 1').waitFor();
        await own.keyboard.press('r');
        await bar(own).waitFor({ state: 'detached' });
        assert.ok(await textOf(own).evaluate((text) => text === document.activeElement), 'the focus is in the text');
        for (const page of [own, reviewer]) {
            await shows(page, 'New First words.\nSecond words.');
            await marked(page, '', '');
        }
        await bar(reviewer).waitFor({ state: 'detached' });
        await eventually(async () => assert.match(await markdown(), /New First words\.\n\nSecond words\./));
    });

    test('a suggestion moves when the author types above it', async () => {
        const { own, reviewer, markdown } = await begin(bench, 'First words.\n\nSecond words.', 'Bea');
        await cursor(reviewer, 'end');
        await reviewer.keyboard.type(' Added.');
        await marked(own, ' Added.', '');
        await cursor(own, 'start');
        await own.keyboard.type('Above.');
        await own.keyboard.press('Enter');
        await marked(own, ' Added.', '');
        assert.equal(await textOf(own).locator('p').last().textContent(), 'Second words. Added.');
        await shows(reviewer, 'Above.\nFirst words.\nSecond words. Added.');
        await marked(reviewer, ' Added.', '');

        await cursor(own, 'end');
        await own.keyboard.press('Alt+Enter');
        await shows(own, 'Above.\nFirst words.\nSecond words. Added.');
        await marked(own, '', '');
        await marked(reviewer, '', '');
        await eventually(async () => assert.match(await markdown(), /Above\.\n\nFirst words\.\n\nSecond words\. Added\./));
    });

    test('a reviewer leaves the mode and comes back, and withdraws a suggestion', async () => {
        const { own, reviewer, markdown } = await begin(bench, 'First words.', 'Cleo');
        await cursor(reviewer, 'end');
        await reviewer.keyboard.type(' More.');
        await marked(own, ' More.', '');
        await suggest(reviewer, false);
        await shows(reviewer, 'First words.');
        await marked(reviewer, ' More.', '');
        await reviewer.getByRole('textbox', { name: 'Title' }).waitFor();
        await suggest(reviewer, true);
        await reviewer.reload();
        await reviewer.getByRole('button', { name: 'Suggest', exact: true, pressed: true }).waitFor();
        await shows(reviewer, 'First words. More.');
        await bar(reviewer).getByRole('button', { name: 'Next suggestion' }).click();
        assert.equal(await bar(reviewer).getByRole('button', { name: 'Accept', exact: true }).count(), 0);
        await bar(reviewer).getByRole('button', { name: 'Withdraw', exact: true }).click();
        await shows(reviewer, 'First words.');
        await marked(own, '', '');
        assert.doesNotMatch(await markdown(), /More/);
    });

    test('the author decides on all suggestions at once', async () => {
        const { own, reviewer, markdown } = await begin(bench, 'First words.\n\nSecond words.', 'Dora');
        const write = async () => {
            await cursor(reviewer, 'start');
            await reviewer.keyboard.type('One. ');
            await cursor(reviewer, 'end');
            await reviewer.keyboard.type(' Two.');
            await marked(own, 'One. | Two.', '');
        };
        await write();
        await bar(own).getByRole('button', { name: 'Refuse all' }).click();
        await own.getByRole('dialog').getByRole('button', { name: 'Refuse all' }).click();
        await shows(reviewer, 'First words.\nSecond words.');
        await marked(own, '', '');
        await write();
        await bar(own).getByRole('button', { name: 'Accept all' }).click();
        await shows(own, 'One. First words.\nSecond words. Two.');
        await bar(own).waitFor({ state: 'detached' });
        await eventually(async () => assert.match(await markdown(), /One\. First words\.\n\nSecond words\. Two\./));
    });
});
