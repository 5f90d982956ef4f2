// A page is written: change requests begin, blocks are inserted, moved and copied, and the API stores what was typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { changeNumber, cursor, drag, edit, handleOf, insertBlock, pastePicture, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** A block of each kind, in the way in which this Markdown is written by hand. */
const EVERY_KIND = [
    '# A heading\n\nSome *words*, with `code`.',
    '* one\n* two\n\n1. first\n2. second\n\n- [ ] open\n- [x] done',
    '{% hint style="info" %}\nA hint\n{% endhint %}',
    '{% tabs %}\n{% tab title="One" %}\nFirst\n{% endtab %}\n{% endtabs %}',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
    '```js\nlet x = 1;\n```',
    '> A quote\n\n***\n\n$$\nx^2\n$$',
    '<details>\n\n<summary>More</summary>\n\nInside\n\n</details>',
].join('\n\n');

/** A block of the menu, the type of its node in the document of the API, and how the text in it is typed. */
const BLOCKS = [
    ['Heading', 'heading-1'],
    ['Heading 2', 'heading-2'],
    ['Bullet list', 'list-unordered'],
    ['Numbered list', 'list-ordered'],
    ['Task list', 'list-tasks'],
    ['Quote', 'blockquote'],
    ['Code', 'code'],
    ['Hint', 'hint'],
    ['Table', 'table'],
    ['Cards', 'table'],
    ['Expandable', 'expandable'],
    ['Tabs', 'tabs'],
    ['Stepper', 'stepper'],
    ['Columns', 'columns'],
    ['Conditional content', 'if'],
    ['Mathematics', 'math', 'Formula'],
    ['Embed', 'embed', 'Address'],
];

/** What is typed, and the type of the node that it becomes. */
const TYPED = [
    ['# ', 'heading-1'],
    ['### ', 'heading-2'],
    ['- ', 'list-unordered'],
    ['1. ', 'list-ordered'],
    ['[] ', 'list-tasks'],
    ['> ', 'blockquote'],
    ['``` ', 'code'],
];

/** Returns a page with one paragraph for each item of a list, in whose place the test writes. */
const placesFor = (list) => list.map((_, at) => `Place ${at}.`).join('\n\n');

/** Selects the whole text of a paragraph, so that typing replaces it. */
async function choosePlace(page, at) {
    await textOf(page).getByText(`Place ${at}.`, { exact: true }).click({ clickCount: 3 });
    await page.keyboard.press('Delete');
}

/** Returns the type of the outermost block that contains a text. */
function typeOf(document, text) {
    return document.nodes.find((node) => JSON.stringify(node).includes(text))?.type;
}

const typesOf = (document) => document.nodes.map(({ type }) => type);

/** Opens a new space with one page for editing, with the cursor in its empty text. */
async function begin(bench, markdown = '') {
    const space = await bench.api.createSpace('Writing', [{ title: 'Draft', markdown }]);
    const id = space.pages.Draft;
    const page = await bench.signIn();
    const change = bench.api.change(space.id, await edit(page, bench.address('s', space.id, id)));
    await cursor(page, 'start');
    const markdownOf = () => change.markdown(id);
    return { page, space, id, change, markdownOf, documentOf: () => change.document(id) };
}

// The editor is the same on both databases.
flow('write', ['SQLite'], (bench) => {
    test('typing on the main content begins a change request, which holds the text', async () => {
        const space = await bench.api.createSpace('Main', [{ title: 'Start', markdown: 'As it was.' }]);
        const page = await bench.signIn();
        await page.goto(bench.address('s', space.id));
        await cursor(page, 'end');
        await page.keyboard.type(' And more.');
        const change = bench.api.change(space.id, await changeNumber(page));
        await saved(page);
        await eventually(async () => assert.match(await change.markdown(space.pages.Start), /As it was\. And more\./));
        assert.ok(!(await bench.api.markdown(space.id, space.pages.Start)).includes('And more'), 'the main content stays');
        await page.reload();
        await textOf(page).getByText('As it was. And more.').waitFor();
    });

    test('the button Edit begins a change request, and the title is saved', async () => {
        const { page, change } = await begin(bench);
        await page.getByRole('textbox', { name: 'Title' }).fill('A better title');
        await eventually(async () => assert.equal((await change.pages())[0].title, 'A better title'));
        assert.equal((await change.get()).status, 'draft');
    });

    test('the menu inserts each block, with the cursor in it', async () => {
        const { page, documentOf } = await begin(bench, placesFor(BLOCKS));
        for (const [at, [name, , field]] of BLOCKS.entries()) {
            await choosePlace(page, at);
            await insertBlock(page, name);
            if (field) {
                await page.getByRole('textbox', { name: field }).and(page.locator(':focus')).waitFor();
            }
            await page.keyboard.type(`https://example.org/${at}/`);
            if (field) {
                await page.keyboard.press('Tab');
            }
        }
        const expected = BLOCKS.map(([name, type]) => `${name}: ${type}`);
        await eventually(async () => {
            const document = await documentOf();
            assert.deepEqual(BLOCKS.map(([name], at) => `${name}: ${typeOf(document, `example.org/${at}/`)}`), expected);
        });
    });

    test('keys for a menu that is still being loaded wait for it', async () => {
        const space = await bench.api.createSpace('Slow', [{ title: 'Draft', markdown: '' }]);
        const page = await bench.signIn();
        let load;
        const isAsked = new Promise((resolve) => (load = resolve));
        await page.route(/assets\/menus-/, async (route) => {
            await isAsked;
            await route.fallback();
        });
        const change = bench.api.change(space.id, await edit(page, bench.address('s', space.id, space.pages.Draft)));
        await cursor(page, 'start');
        await page.keyboard.type('/quo');
        await page.waitForTimeout(100);
        await page.keyboard.press('Enter');
        await page.keyboard.type('Typed **before** it was there');
        load();
        await eventually(async () => assert.match(await change.markdown(space.pages.Draft), /> Typed \*\*before\*\* it was there/));
    });

    test('the menu inserts a divider, and writing goes on below it', async () => {
        const { page, documentOf } = await begin(bench);
        await insertBlock(page, 'Divider');
        await page.keyboard.type('Below');
        await eventually(async () => assert.deepEqual(typesOf(await documentOf()), ['divider', 'paragraph']));
    });

    test('the column of the text is as wide for few words as for many', async () => {
        const { page } = await begin(bench, 'Few');
        const { width } = await textOf(page).boundingBox();
        assert.ok(width > 600, `${width} px`);
    });

    test('signs of Markdown become blocks as they are typed', async () => {
        const { page, documentOf } = await begin(bench, placesFor(TYPED));
        for (const [at, [typed]] of TYPED.entries()) {
            await choosePlace(page, at);
            await page.keyboard.type(`${typed}Word-${at}-`);
        }
        const expected = TYPED.map(([typed, type]) => `${typed}: ${type}`);
        await eventually(async () => {
            const document = await documentOf();
            assert.deepEqual(TYPED.map(([typed], at) => `${typed}: ${typeOf(document, `Word-${at}-`)}`), expected);
        });
    });

    test('formats are typed as Markdown or with keys', async () => {
        const { page, markdownOf } = await begin(bench);
        await page.keyboard.type('A **strong** and *light* word, ');
        await page.keyboard.press('Control+b');
        await page.keyboard.type('bold');
        await page.keyboard.press('Control+b');
        await page.keyboard.type(' end.');
        await eventually(async () => assert.match(await markdownOf(), /A \*\*strong\*\* and _light_ word, \*\*bold\*\* end\./));
    });

    test('undo and redo', async () => {
        const { page, markdownOf } = await begin(bench);
        await page.keyboard.type('Kept.');
        await page.keyboard.press('Enter');
        await eventually(async () => assert.match(await markdownOf(), /Kept\./));
        await insertBlock(page, 'Hint');
        await page.keyboard.type('Undone');
        await eventually(async () => assert.match(await markdownOf(), /Undone/));
        await eventually(async () => {
            await page.keyboard.press('Control+z');
            assert.doesNotMatch(await textOf(page).textContent(), /Undone/);
        });
        await eventually(async () => assert.doesNotMatch(await markdownOf(), /Undone/));
        await eventually(async () => {
            await page.keyboard.press('Control+Shift+z');
            assert.match(await textOf(page).textContent(), /Undone/);
        });
        await eventually(async () => assert.match(await markdownOf(), /Undone/));
    });

    test('a block is dragged by its handle', async () => {
        const { page, markdownOf } = await begin(bench, 'First\n\nSecond\n\nThird');
        await saved(page);
        await eventually(async () => {
            const handle = await handleOf(page, textOf(page).getByText('First'));
            await drag(page, handle, textOf(page).getByText('Third'), { x: 0.9, y: 0.9 });
            assert.match(await textOf(page).innerText(), /Second\s+Third\s+First/);
        });
        await eventually(async () => assert.match(await markdownOf(), /Second\s+Third\s+First/));
    });

    test('the menu of a block duplicates, moves and deletes it', async () => {
        const { page, markdownOf } = await begin(bench, 'First\n\nSecond');
        const choose = async (text, name) => {
            await (await handleOf(page, textOf(page).getByText(text).first())).click();
            await page.getByRole('menu', { name: 'Block menu' }).getByRole('menuitem', { name }).click();
        };
        await choose('First', 'Duplicate');
        await eventually(async () => assert.match(await markdownOf(), /First\s+First\s+Second/));
        await choose('Second', 'Move up');
        await eventually(async () => assert.match(await markdownOf(), /First\s+Second\s+First/));
        await choose('First', 'Delete');
        await eventually(async () => assert.match(await markdownOf(), /^\W*(# Draft)?\s*Second\s+First\s*$/));
    });

    test('text is copied and pasted with its blocks', async () => {
        const { page, markdownOf } = await begin(bench, '* one\n* **two**');
        await page.keyboard.press('Control+a');
        await page.keyboard.press('Control+c');
        await page.keyboard.press('Control+End');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Control+v');
        await eventually(async () => assert.equal((await markdownOf()).match(/\*\*two\*\*/g)?.length, 2));
    });

    test('a key acts where the cursor is, also before the browser has told of it', async () => {
        const { page, markdownOf } = await begin(bench, 'One\n\nTwo');
        await page.keyboard.press('Control+a');
        await textOf(page).evaluate((element) => {
            const last = element.lastElementChild;
            getSelection().collapse(last, last.childNodes.length);
            element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }));
        });
        await page.keyboard.type('Three');
        await eventually(async () => assert.match(await markdownOf(), /One\n\nTwo\n\nThree\n$/));
    });

    test('a picture is pasted', async () => {
        const { page, documentOf } = await begin(bench);
        await pastePicture(page);
        await eventually(async () => assert.ok(typesOf(await documentOf()).includes('images')));
        await textOf(page).getByRole('img').first().waitFor();
    });

    test('text goes on below code at the end of a page', async () => {
        const { page, markdownOf } = await begin(bench, 'Words\n\n```\ncode\n```');
        await cursor(page, 'end');
        await page.keyboard.type('s');
        await eventually(async () => assert.match(await markdownOf(), /codes\n/));
        await page.keyboard.press('ArrowDown');
        await page.keyboard.type('Below');
        await eventually(async () => assert.match(await markdownOf(), /codes\n```\n\nBelow/));
        await page.keyboard.press('Enter');
        await insertBlock(page, 'Code');
        await page.keyboard.type('more');
        const box = await textOf(page).boundingBox();
        await page.mouse.click(box.x + box.width / 2, box.y + box.height - 10);
        await page.keyboard.type('The end');
        await eventually(async () => assert.match(await markdownOf(), /more\n```\n\nThe end/));
    });

    test('the Markdown view and back change no byte', async () => {
        const { page, change, markdownOf } = await begin(bench, EVERY_KIND);
        const before = await markdownOf();
        const { revision } = await change.get();
        const toggle = page.getByRole('button', { name: 'Markdown', exact: true });
        await toggle.click();
        await page.getByRole('textbox', { name: 'Markdown of the page' }).waitFor();
        await toggle.click();
        await textOf(page).waitFor();
        await toggle.click();
        await page.getByRole('textbox', { name: 'Markdown of the page' }).waitFor();
        await saved(page);
        assert.equal(await markdownOf(), before);
        assert.equal((await change.get()).revision, revision, 'nothing was written');
    });

    test('what is written in the Markdown view is shown as blocks', async () => {
        const { page, markdownOf } = await begin(bench, 'Words');
        const toggle = page.getByRole('button', { name: 'Markdown', exact: true });
        await toggle.click();
        await page.getByRole('textbox', { name: 'Markdown of the page' }).click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type('\n\n{% hint style="warning" %}\nCareful\n{% endhint %}\n');
        await eventually(async () => assert.match(await markdownOf(), /Careful/));
        await toggle.click();
        await textOf(page).getByText('Careful').waitFor();
        assert.ok(await textOf(page).getByRole('combobox', { name: 'Kind of hint' }).isVisible());
    });
});
