// Text is pasted as other programs put it into the clipboard: it becomes blocks without foreign styles.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { eventually } from './lib/api.js';
import { changeNumber, cursor, edit, textOf } from './lib/editor.js';
import { flow } from './lib/flow.js';

/** Contents of the clipboard by program, and the Markdown that they become. */
const SOURCES = {
    Word: {
        html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal { margin: 0cm; font-family: "Calibri" }</style></head>
<body lang=EN-US style='tab-interval:36.0pt'><!--StartFragment-->
<h2 style='mso-outline-level:2'><span style='color:#2F5496'>Set up<o:p></o:p></span></h2>
<p class=MsoNormal><b>Bold</b> and <i>italic</i> <span style='mso-spacerun:yes'> </span>words.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>First<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Second<o:p></o:p></p>
<table class=MsoTableGrid border=1><tr><td width=200 style='border:solid windowtext 1.0pt'><p class=MsoNormal>Name<o:p></o:p></p></td><td><p class=MsoNormal>Age<o:p></o:p></p></td></tr><tr><td><p class=MsoNormal>Ada<o:p></o:p></p></td><td><p class=MsoNormal>36<o:p></o:p></p></td></tr></table>
<!--EndFragment--></body></html>`,
        markdown: ['## Set up', '**Bold** and _italic_ words.', '* First\n* Second', /\| Name +\| Age +\|\n.*\n\| Ada +\| 36 +\|/],
    },
    'Google Docs': {
        html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr" style="line-height:1.38"><span style="font-size:16pt;font-weight:400;">Set up</span></h2><p dir="ltr"><span style="font-weight:700;">Bold</span><span style="font-weight:400;"> and </span><span style="font-style:italic;">italic</span><span> with a </span><a href="https://example.com/a" style="text-decoration:none;"><span style="color:#1155cc;text-decoration:underline;">link</span></a><span>.</span></p><ul style="margin-top:0"><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>First</span></p></li><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Second</span></p></li></ul></b><br class="Apple-interchange-newline">`,
        markdown: ['## Set up', '**Bold** and _italic_ with a [link](https://example.com/a).', '* First\n* Second'],
    },
    Notion: {
        html: `<meta charset='utf-8'><h2>Set up</h2>
<p>Some <strong>bold</strong> words and <code>code</code>.</p>
<ul>
<li>First<ul>
<li>Nested</li>
</ul>
</li>
<li>Second</li>
</ul>
<pre><code class="language-javascript">let a = 1;
let b = 2;</code></pre>
<!-- notionvc: 1 -->`,
        markdown: ['## Set up', 'Some **bold** words and `code`.', /\* First\n {2,4}\* Nested\n\* Second/, '```javascript\nlet a = 1;\nlet b = 2;\n```'],
    },
    Confluence: {
        html: `<meta charset='utf-8'><h2 data-pm-slice="1 1 []" id="Set-up">Set up</h2><p>Some <strong>bold</strong> words.</p><div data-panel-type="info"><div><p>Good to know.</p></div></div><table data-number-column="false" data-layout="default"><tbody><tr><th colspan="1" rowspan="1"><p><strong>Name</strong></p></th><th><p><strong>Age</strong></p></th></tr><tr><td><p>Ada</p></td><td><p>36</p></td></tr></tbody></table>`,
        markdown: ['## Set up', 'Some **bold** words.', 'Good to know.', /\| .*Name.* \| .*Age.* \|\n.*\n\| Ada +\| 36 +\|/],
    },
    'a spreadsheet': {
        html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><!--StartFragment--><table border=0 cellpadding=0 cellspacing=0 width=128><col width=64 span=2><tr height=20><td height=20 class=xl65 width=64 style='height:15.0pt'>Name</td><td class=xl65>Age</td></tr><tr height=20><td height=20>Ada</td><td align=right>36</td></tr></table><!--EndFragment--></body></html>`,
        text: 'Name\tAge\nAda\t36\n',
        markdown: [/\| Name +\| Age +\|\n.*\n\| Ada +\| 36 +\|/],
    },
    'a code editor': {
        html: `<meta charset='utf-8'><div style="color: #d4d4d4;background-color: #1e1e1e;font-family: Consolas, monospace;white-space: pre;"><div><span style="color: #569cd6;">let</span><span> a = </span><span style="color: #b5cea8;">1</span>;</div><div><span>  call(a);</span></div></div>`,
        text: 'let a = 1;\n  call(a);',
        types: { 'vscode-editor-data': '{"version":1,"mode":"javascript"}' },
        markdown: [/```(javascript)?\nlet a = 1;\n {2}call\(a\);\n```/],
    },
    Markdown: {
        text: '## Set up\n\nSome **bold** words.\n\n1. First\n2. Second\n\n> Quoted\n\n```sh\nrun\n```\n',
        markdown: ['## Set up', 'Some **bold** words.', '1. First\n2. Second', '> Quoted', '```sh\nrun\n```'],
    },
};

/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

/** Returns a picture as word processors put it beside the HTML. */
const blip = (base64) => `{\\*\\shppict{\\pict\\picw26{\\*\\blipuid ${'0'.repeat(32)}}\\pngblip\n${Buffer.from(base64, 'base64').toString('hex')}}}{\\nonshppict{\\pict\\wmetafile8 ${'a0'.repeat(99)}}}`;

/** Traces of styles and scripts, which nothing that is pasted leaves. */
const FOREIGN = /mso-|style=|class=|<span|<o:p|font-family|docs-internal|&nbsp;|\u00b7|<script|onerror/;

/** Pastes into the text of a page. */
function paste(page, { html, text = '', types = {} }) {
    return textOf(page).evaluate(
        (element, contents) => {
            const data = new DataTransfer();
            for (const [type, value] of Object.entries(contents)) if (value) data.setData(type, value);
            element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        },
        { 'text/plain': text, ...(html && { 'text/html': html }), ...types },
    );
}

// The editor is the same on both databases.
flow('paste', ['SQLite'], (bench) => {
    let host;
    before(async () => {
        host = createServer((request, response) => {
            if (request.url.startsWith('/shown')) response.setHeader('content-type', 'image/png').end(Buffer.from(PNG, 'base64'));
            else if (request.url === '/sign-in.png') response.setHeader('content-type', 'text/html').end('<p>Sign in');
            else response.writeHead(404).end();
        });
        await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
    });
    after(() => host.close());
    const at = (path) => `http://127.0.0.1:${host.address().port}${path}`;

    /** Opens a new page for editing and returns it, with a way to read its Markdown. */
    async function begin() {
        const space = await bench.api.createSpace('Pasted', [{ title: 'Draft', markdown: '' }]);
        const page = await bench.signIn();
        // The other server is for the server under test alone: Chromium forbids pages to read from other ports.
        await page.route(at('/**'), (route) => route.fulfill({ status: 404 }));
        await edit(page, bench.address('s', space.id, space.pages.Draft));
        const change = bench.api.change(space.id, await changeNumber(page));
        await cursor(page, 'end');
        return { page, change, markdownOf: () => change.markdown(space.pages.Draft) };
    }

    /** Waits until the text has its pictures, and returns the kinds of those that other servers hold. */
    async function pictures(markdownOf, number) {
        let found = [];
        await eventually(async () => {
            found = [...(await markdownOf()).matchAll(/!\[[^\]]*\]\(([^)\s]+)|<img src="([^"]+)"/g)].map((match) => match[1] ?? match[2]);
            assert.equal(found.filter((address) => address.includes('/~files/')).length, number, found.join(' '));
        });
        return found.filter((address) => !address.includes('/~files/'));
    }

    for (const [program, source] of Object.entries(SOURCES)) {
        test(`what is copied in ${program} becomes blocks`, async () => {
            const { page, markdownOf } = await begin();
            await paste(page, source);
            await eventually(async () => {
                const markdown = await markdownOf();
                for (const part of source.markdown) {
                    assert.ok(part instanceof RegExp ? part.test(markdown) : markdown.includes(part), `${part} is not in:\n${markdown}`);
                }
                assert.doesNotMatch(markdown, FOREIGN);
            });
        });
    }

    test('scripts in what is pasted do nothing', async () => {
        const { page, markdownOf } = await begin();
        await paste(page, { html: '<p onclick="window.hit=1">Safe <img src="x" onerror="window.hit=1"><a href="javascript:window.hit=1">link</a></p><script>window.hit=1</script><iframe srcdoc="<script>parent.hit=1</script>"></iframe>' });
        await eventually(async () => assert.match(await markdownOf(), /Safe/));
        assert.doesNotMatch(await markdownOf(), /javascript:|onerror|<script|srcdoc/);
        assert.equal(await page.evaluate(() => window.hit), undefined);
    });

    test('pictures of web pages become files of the space', async () => {
        const { page, markdownOf, change } = await begin();
        const html = `<p>One <img src="${at('/shown/a.png')}" alt="beside"> and <img alt="🎉" src="${at('/shown/emoji.png')}"> words.</p>
<figure><img src="${at('/shown?id=7')}" alt="shown"><figcaption>As it
is</figcaption></figure><img src="${at('/shown/pixel.gif')}" width="1" height="1">
<p><img src="data:image/png;base64,${PNG}"></p><p><img src="data:image/svg+xml,${encodeURIComponent(SVG)}" alt="drawn"></p>
<table><tr><th>Name</th><th>Picture</th></tr><tr><td>Ada</td><td><img src="${at('/shown/a.png')}" alt="in a cell"></td></tr></table>`;
        await paste(page, { html });
        assert.deepEqual(await pictures(markdownOf, 5), []);
        const markdown = await markdownOf();
        assert.match(markdown, /One <img src="[^"]+" alt="beside"> and 🎉 words\./);
        assert.match(markdown, /<figcaption><p>As it is<\/p><\/figcaption>/);
        assert.match(markdown, /\| Ada +\| <img src="[^"]+" alt="in a cell">/);
        assert.doesNotMatch(markdown, /\\\n/);
        const names = (await change.files()).map(({ name, contentType }) => [name, contentType]);
        assert.deepEqual(names.sort(), [['a.png', 'image/png'], ['image.png', 'image/png'], ['image.svg', 'image/svg+xml'], ['shown.png', 'image/png']]);
        await page.keyboard.press('Control+z');
        await eventually(async () => assert.doesNotMatch(await markdownOf(), /words|img/));
    });

    test('pictures of Word become files of the space', async () => {
        const { page, markdownOf } = await begin();
        const image = (name) => `<p class=MsoNormal><![if !vml]><img width=3 height=2 src="file:///C:/Temp/${name}" v:shapes="Picture"><![endif]><o:p></o:p></p>`;
        const html = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><p class=MsoNormal>Above</p>${image('clip_1.png')}<p class=MsoNormal>Between</p>${image('clip_2.png')}</body></html>`;
        await paste(page, { html, types: { 'text/rtf': `{\\rtf1 Above\\par ${blip(PNG)}Between\\par ${blip(PNG)}}` } });
        assert.deepEqual(await pictures(markdownOf, 2), []);
        assert.match(await markdownOf(), /Above[^]+img[^]+Between[^]+img/);
    });

    test('pictures in Markdown become files of the space', async () => {
        const { page, markdownOf } = await begin();
        await paste(page, { text: `## Set up\n\n![shown](${at('/shown/a.png')})\n\nWith a badge: ![build](${at('/shown/badge.svg')})\n` });
        assert.deepEqual(await pictures(markdownOf, 1), [at('/shown/badge.svg')]);
    });

    test('pictures that cannot be read are told', async () => {
        const { page, markdownOf } = await begin();
        const gone = ['/gone.png', '/sign-in.png'].map(at);
        const html = `<p>Text</p><p><img src="${gone[0]}"></p><p><img src="${gone[1]}"></p><p><img src="file:///C:/Temp/a.png" alt="drawn"></p><p>Beside <img src="blob:https://example.com/1"></p>`;
        await paste(page, { html });
        await page.getByText('2 pasted images could not be copied into the space.').waitFor();
        await page.getByText('2 pasted images could not be read.').waitFor();
        await eventually(async () => assert.deepEqual(await pictures(markdownOf, 0), gone));
        assert.doesNotMatch(await markdownOf(), /file:|blob:|drawn/);
        await textOf(page).getByRole('button', { name: 'Upload an image' }).or(textOf(page).getByLabel('Upload an image')).first().waitFor();
    });
}, { BINDERY_OUTBOUND_ALLOW: '127.0.0.0/8' });
