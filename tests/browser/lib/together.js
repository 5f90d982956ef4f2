// Several people who have the same page of a change request open.
import { edit, textOf } from './editor.js';

/** Opens a page of a change request in the windows of several people, who are invited for it. */
export async function begin(bench, markdown, ...names) {
    const space = await bench.api.createSpace('Together', [{ title: 'Draft', markdown }]);
    const id = space.pages.Draft;
    const own = await bench.signIn();
    const number = await edit(own, bench.address('s', space.id, id));
    const change = bench.api.change(space.id, number);
    const others = [];
    for (const name of names) {
        const page = await bench.member(name, 'edit');
        await page.goto(bench.address('s', space.id, '~', 'changes', number, id));
        await textOf(page).waitFor();
        others.push(page);
    }
    return { own, others, change, id, space };
}
