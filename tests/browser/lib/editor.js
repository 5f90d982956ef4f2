// The page of the editor as a person uses it.
import assert from 'node:assert/strict';
import { eventually } from './api.js';

/** The text of the open page. */
export const textOf = (page) => page.getByRole('textbox', { name: 'Text of the page' });

/** Waits until the sign beside the page says that everything is saved. */
export const saved = (page) => page.getByRole('article').getByRole('status').getByText('Saved', { exact: true }).waitFor();

/** Waits until the sign beside the page says that something is not saved. */
export const failed = (page) => page.getByRole('article').getByRole('status').getByText('Not saved:').waitFor();

/** Waits until all windows show the same text without carets. Returns it. */
export async function agreed(...pages) {
    const read = (page) =>
        textOf(page).evaluate((text) => {
            const copy = text.cloneNode(true);
            for (const caret of copy.querySelectorAll('.caret')) caret.remove();
            return [...copy.children].map((block) => block.textContent).join('\n');
        });
    let text;
    await eventually(async () => {
        const texts = await Promise.all(pages.map(read));
        assert.deepEqual(texts, texts.map(() => texts[0]));
        [text] = texts;
    });
    return text;
}

/** Returns the number of the change request that a page shows, once it shows one. */
export async function changeNumber(page) {
    await page.waitForURL(/\/~\/changes\/\d+/);
    // The bar of the change request moves the page down, and with it what a test may drag.
    await page.getByRole('button', { name: 'Merge', exact: true }).waitFor();
    return /\/~\/changes\/(\d+)/.exec(page.url())[1];
}

/** Opens a page of a space and presses Edit. Returns the number of the change request that begins. */
export async function edit(page, address) {
    await page.goto(address);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const number = await changeNumber(page);
    await textOf(page).waitFor();
    return number;
}

/** Puts the cursor before or after all text. */
export async function cursor(page, place) {
    await textOf(page).click();
    await page.keyboard.press(place === 'start' ? 'Control+Home' : 'Control+End');
}

/** Inserts a block with the menu behind `/` in an empty paragraph. */
export async function insertBlock(page, name) {
    await page.keyboard.type(`/${name}`);
    await page.getByRole('listbox', { name: 'Blocks' }).getByRole('option', { name, exact: true }).click();
}

/** Pastes a picture where the cursor is. */
export function pastePicture(page) {
    return textOf(page).evaluate(async (element) => {
        const canvas = new OffscreenCanvas(4, 4);
        canvas.getContext('2d').fillRect(0, 0, 4, 4);
        const data = new DataTransfer();
        data.items.add(new File([await canvas.convertToBlob()], 'square.png', { type: 'image/png' }));
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    });
}

/** Moves the pointer over a block until its handle shows, which a change of the text hides. Returns the handle. */
export async function handleOf(page, block) {
    const handle = page.getByRole('button', { name: 'Block menu' });
    let x = 4;
    await eventually(async () => {
        // Only a pointer that moves shows the handle.
        x = x === 4 ? 8 : 4;
        await block.hover({ position: { x, y: 8 } });
        await handle.waitFor({ timeout: 500 });
        // The handle may still be beside the block that the pointer was over before.
        const [own, other] = [await handle.boundingBox(), await block.boundingBox()];
        assert.ok(Math.abs(own.y - other.y) < 20, `the handle is at ${own.y}, the block at ${other.y}`);
    });
    return handle;
}

/** Drags with the mouse from the middle of an element to a point of another one, such as its lower edge. */
export async function drag(page, from, to, at) {
    const [start, end] = [await from.boundingBox(), await to.boundingBox()];
    const [x, y] = [end.x + end.width * at.x, end.y + end.height * at.y];
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(x, y - 3, { steps: 8 });
    await page.mouse.move(x, y, { steps: 3 });
    await page.mouse.up();
}
