// Mistakes in expressions and formulas are shown while they are written, and in the review.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { edit, insertBlock, saved } from './lib/editor.js';
import { flow } from './lib/flow.js';

const CONDITION = '{% if visitor.claims.isBeta %}\nInside.\n{% endif %}';

/** Writes an expression with a mistake into a field, sees it named, and mends it. */
async function mistakeThenNone(page, field, [wrong, right]) {
    await field.fill(wrong);
    const mistake = page.getByText(/^Line 1, column \d+: found /);
    await mistake.waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    const described = await field.evaluate((element) => (element.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent));
    assert.ok(described.some((text) => /^Line 1, column/.test(text)), `the field is described by ${described}`);
    await field.fill(right);
    await mistake.waitFor({ state: 'detached' });
    assert.notEqual(await field.getAttribute('aria-invalid'), 'true');
}

/** Opens a page with a text for writing. */
async function write(bench, markdown) {
    const space = await bench.api.createSpace('Manual', [{ title: 'Start', markdown }]);
    const page = await bench.signIn();
    const number = await edit(page, bench.address('s', space.id, space.pages.Start));
    return { page, space, change: bench.api.change(space.id, number) };
}

// The editor is the same on both databases.
flow('mistakes', ['SQLite'], (bench) => {
    test('the condition of a block names its mistake, and is saved in any case', async () => {
        const { page, space, change } = await write(bench, CONDITION);
        const field = page.getByRole('textbox', { name: 'Condition, such as' });
        await mistakeThenNone(page, field, ['visitor.claims.isBeta ==', 'visitor.claims.isBeta == true']);
        await mistakeThenNone(page, field, ['visitors.claims.isBeta', 'visitor.claims.isBeta']);
        await field.fill('visitor.claims.isBeta &&');
        await eventually(async () => assert.match(await change.markdown(space.pages.Start), /isBeta &&/));
    });

    test('an expression in a text names its mistake', async () => {
        const { page } = await write(bench, '');
        await page.getByRole('textbox', { name: 'Text of the page' }).click();
        await insertBlock(page, 'Variable');
        const field = page.getByRole('textbox', { name: 'Variable, such as' });
        await mistakeThenNone(page, field, ['space.vars.', 'space.vars.version']);
        await field.press('Enter');
        await saved(page);
    });

    test('the condition of a page names its mistake', async () => {
        const { page } = await write(bench, 'Words.');
        await page.getByRole('button', { name: 'Page options' }).click();
        const field = page.getByRole('textbox', { name: 'Condition', exact: true });
        await mistakeThenNone(page, field, ['visitor.claims.(', 'visitor.claims.isBeta']);
    });

    test('the review lists problems, with their pages and sources, until they are solved', async () => {
        const { page, space, change } = await write(bench, 'Words.');
        const set = (markdown) => change.write([{ operation: 'update_page', page: space.pages.Start, document: { markdown } }]);
        await set('{% if visitor.claims.isBeta == %}\nInside.\n{% endif %}\n\n$$\n\\frac{1}{\n$$');
        const review = bench.address('s', space.id, '~', 'changes', change.number, '~', 'review');
        await page.goto(review);
        const problems = page.getByRole('list', { name: 'Problems in the text' }).getByRole('listitem');
        await problems.filter({ hasText: 'visitor.claims.isBeta ==' }).getByRole('link', { name: 'Start' }).waitFor();
        await problems.filter({ hasText: 'frac' }).waitFor();
        assert.equal(await problems.count(), 2);
        await set('Better words.');
        await page.reload();
        await page.getByText('There are no problems in the text.').waitFor();
        await set('{% if visitor.claims.isBeta == %}\nInside.\n{% endif %}');
        await page.reload();
        await problems.getByRole('link', { name: 'Start' }).click();
        await page.waitForURL(bench.address('s', space.id, '~', 'changes', change.number, space.pages.Start));
    });
});
