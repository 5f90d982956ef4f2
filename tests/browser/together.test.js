// Several people write one page at once, while the network fails, the server ends, and programs write as well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './lib/api.js';
import { engines } from './lib/database.js';
import { agreed, cursor, saved, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';
import { begin } from './lib/together.js';

/** Composes a text from its stages, as an input method does, while another person types, and commits another one. */
const composed = async (input, other, stages, committed) => {
    for (const text of stages) {
        await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
        await other.keyboard.type('.');
    }
    await input.send('Input.insertText', { text: committed });
};

flow('together', engines(), (bench) => {
    test('each sees what the others type, and where they are', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.\n\nSecond.', 'Ann');
        await cursor(own, 'start');
        await cursor(ann, 'end');
        await Promise.all([own.keyboard.type('Own words. '), ann.keyboard.type(' Words of Ann.')]);
        assert.equal(await agreed(own, ann), 'Own words. First.\nSecond. Words of Ann.');
        await textOf(own).locator('.caret-name', { hasText: 'Ann' }).waitFor({ state: 'attached' });
        await textOf(ann).locator('.caret-name', { hasText: 'Administrator' }).waitFor({ state: 'attached' });
        await own.getByRole('list', { name: 'Also writing here' }).getByRole('button', { name: 'Follow Ann' }).waitFor();
        await saved(own);
        await eventually(async () => assert.match(await change.markdown(id), /Own words\. First\.\n\nSecond\. Words of Ann\./));
        await ann.close();
        await own.getByRole('list', { name: 'Also writing here' }).waitFor({ state: 'detached' });
        await textOf(own).locator('.caret').waitFor({ state: 'detached' });
    });

    test('undo takes back one person\'s words only', async () => {
        const { own, others: [ann] } = await begin(bench, 'First.', 'Bea');
        await cursor(own, 'end');
        await own.keyboard.type(' Own.');
        await agreed(own, ann);
        await cursor(ann, 'start');
        await ann.keyboard.type('Ann. ');
        assert.equal(await agreed(own, ann), 'Ann. First. Own.');
        await own.keyboard.press('Control+z');
        assert.equal(await agreed(own, ann), 'Ann. First.');
        await ann.keyboard.press('Control+z');
        assert.equal(await agreed(own, ann), 'First.');
        await own.keyboard.press('Control+Shift+z');
        assert.equal(await agreed(own, ann), 'First. Own.');
    });

    test('what is written without a network comes together', async () => {
        const { own, others: [ann] } = await begin(bench, 'First.\n\nSecond.', 'Cleo');
        await own.context().setOffline(true);
        await cursor(own, 'end');
        await own.keyboard.type(' Written without a network.');
        await own.getByRole('article').getByRole('status').getByText('Not saved:').waitFor();
        await cursor(ann, 'start');
        await ann.keyboard.type('Ann wrote. ');
        await saved(ann);
        await own.context().setOffline(false);
        assert.equal(await agreed(own, ann), 'Ann wrote. First.\nSecond. Written without a network.');
        await saved(own);
    });

    test('the server is killed while two people write', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.\n\nSecond.', 'Dora');
        await cursor(own, 'start');
        await cursor(ann, 'end');
        const [mine, theirs] = [[], []];
        for (const round of ['one', 'two', 'three']) {
            const typing = Promise.all([own.keyboard.type(`Mine ${round}. `), ann.keyboard.type(` Hers ${round}.`)]);
            await bench.server.kill();
            await typing;
            await bench.server.restart();
            mine.push(`Mine ${round}. `);
            theirs.push(` Hers ${round}.`);
            assert.equal(await agreed(own, ann), `${mine.join('')}First.\nSecond.${theirs.join('')}`);
        }
        await saved(own);
        await saved(ann);
        await eventually(async () => assert.ok((await change.markdown(id)).includes(`${mine.join('')}First.\n\nSecond.${theirs.join('')}`)));
    });

    test('a program writes while people do', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.\n\nSecond.\n\nThird.', 'Emma');
        await cursor(own, 'start');
        await own.keyboard.type('Typed. ');
        await change.write([{ operation: 'update_page', page: id, document: { markdown: 'First.\n\nSecond, by a program.\n\nThird.' } }]);
        // Before the change of the program arrives, both show the same text without it.
        await eventually(async () => assert.match(await agreed(own, ann), /Typed\. First\.\nSecond, by a program\.\nThird\./));
        await eventually(async () => assert.match(await change.markdown(id), /Typed\. First\.\n\nSecond, by a program\.\n\nThird\./));
    });

    test('input methods compose while others write', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.\n\nSecond.\n\nThird.', 'Jana');
        const input = await own.context().newCDPSession(own);
        const compose = (stages, committed) => composed(input, ann, stages, committed);
        await cursor(own, 'end');
        await cursor(ann, 'start');
        // Japanese with a conversion, Chinese by Pinyin, Korean syllables, a dead key, and a word that a telephone corrects.
        await compose(['n', 'に', 'にh', 'にほ', 'にほん', '日本'], '日本');
        await compose(["n", "ni", "ni'h", "ni'hao"], '你好');
        await compose(['ㅎ', '하', '한'], '한');
        await compose(['´'], 'é');
        await compose(['t', 'te', 'teh'], 'the');
        await own.keyboard.type(' end');
        const dots = '.'.repeat(6 + 4 + 3 + 1 + 3);
        assert.equal(await agreed(own, ann), `${dots}First.\nSecond.\nThird.日本你好한éthe end`);
        // Others write into the text in which somebody composes.
        await textOf(ann).locator('p').nth(2).click();
        await ann.keyboard.press('Home');
        await compose(['あ', 'あさ'], '朝');
        assert.equal(await agreed(own, ann), `${dots}First.\nSecond.\n..Third.日本你好한éthe end朝`);
        await eventually(async () => assert.match(await change.markdown(id), /\.\.Third\.日本你好한éthe end朝/));
    });

    test('telephones and dictation compose whole words and sentences', async () => {
        const { own, others: [ann], change, id } = await begin(bench, 'First.\n\nSecond.', 'Kim');
        const input = await own.context().newCDPSession(own);
        const compose = (stages, committed) => composed(input, ann, stages, committed);
        await cursor(own, 'end');
        await cursor(ann, 'start');
        // A telephone composes each word, and commits it with the space behind it.
        await compose([' ', ' S', ' So'], ' So ');
        await compose(['w', 'wr', 'wri', 'writt'], 'written ');
        // Arabic, from right to left.
        await compose(['م', 'مر', 'مرح', 'مرحب'], 'مرحبا ');
        // Dictation changes its mind about all words of the sentence.
        await compose(['I', 'I scream', 'Ice cream is', 'Ice cream is good'], 'Ice cream is good.');
        // A word that is composed and given up.
        await compose(['x', 'xy', ''], '');
        await own.keyboard.press('Backspace');
        const dots = '.'.repeat(3 + 4 + 4 + 4 + 3);
        const text = 'Second. So written مرحبا Ice cream is good';
        assert.equal(await agreed(own, ann), `${dots}First.\n${text}`);
        await eventually(async () => assert.ok((await change.markdown(id)).includes(text)));
    });

    test('five people write, split, format and move blocks', async () => {
        const { own, others, change, id } = await begin(bench, 'Alpha.\n\nBeta.\n\nGamma.\n\nDelta.\n\nEpsilon.', 'Finn', 'Gina', 'Hugo', 'Ida');
        const pages = [own, ...others];
        // All cursors stand in a paragraph of their own before anybody writes: paragraphs that move would take a click meant for another one.
        await Promise.all(
            pages.map(async (page, at) => {
                await textOf(page).locator('p').nth(at).click();
                await page.keyboard.press('End');
            }),
        );
        const write = async (page, at) => {
            for (let round = 0; round < 3; round += 1) {
                await page.keyboard.press('Enter');
                await page.keyboard.type(`Line ${round} of ${at}`);
                await page.keyboard.press('Shift+Home');
                await page.keyboard.press('Control+b');
                await page.keyboard.press('End');
            }
            await page.keyboard.press('Alt+ArrowUp');
        };
        await Promise.all(pages.map(write));
        const text = await agreed(...pages);
        for (let at = 0; at < 5; at += 1) for (let round = 0; round < 3; round += 1) assert.ok(text.includes(`Line ${round} of ${at}`), text);
        await Promise.all(pages.map(saved));
        await eventually(async () => {
            const markdown = await change.markdown(id);
            for (let at = 0; at < 5; at += 1) for (let round = 0; round < 3; round += 1) assert.ok(markdown.includes(`**Line ${round} of ${at}**`), markdown);
        });
    });
});
