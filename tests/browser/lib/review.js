// Change requests as they are reviewed in the application.
import { edit, textOf } from './editor.js';

/** Opens a new page, changes its first block, and returns what the tests of reviews use. */
export async function beginReview(bench, markdown = 'First block.\n\nSecond block.') {
    const space = await bench.api.createSpace('Handbook', [{ title: 'Draft', markdown }]);
    const id = space.pages.Draft;
    const page = await bench.signIn();
    const number = await edit(page, bench.address('s', space.id, id));
    const change = bench.api.change(space.id, number);
    return { page, space, id, number, change };
}

/** Selects a whole block of the text of the page. */
export const selectBlock = (page, text) => textOf(page).getByText(text, { exact: true }).click({ clickCount: 3 });
