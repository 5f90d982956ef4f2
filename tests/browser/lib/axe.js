// What axe finds wrong with a page.
import { AxeBuilder } from '@axe-core/playwright';

/** Returns the faults that axe finds in a colour scheme, with the part of the page. In dark, only colours differ. */
export async function faultsOf(page, colorScheme) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Colours that are still changing have a contrast that nobody sees.
    await page.evaluate(() => {
        const changing = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
        return Promise.all(changing.map(({ finished }) => finished.catch(() => {})));
    });
    // The preview of a site is a page of its own, in a frame that runs no scripts.
    const axe = new AxeBuilder({ page }).exclude('iframe');
    const { violations } = await (colorScheme === 'dark' ? axe.withRules(['color-contrast']) : axe).analyze();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${colorScheme}: ${id}: ${html.slice(0, 160)}`));
}
