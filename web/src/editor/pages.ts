import type { TreePage } from "../api/place";
import { searchText } from "../search-text";

/** A page of the space in a list. */
export interface FlatPage {
  id: string;
  label: string;
  /** The titles of the pages above it. */
  detail: string;
}

/** Returns the pages of a tree in one list. */
export function flatPages(pages: readonly TreePage[], above = ""): FlatPage[] {
  return pages.flatMap((page) => {
    const own = page.type === "document" ? [{ id: page.id, label: page.title, detail: above }] : [];
    const children = "pages" in page ? (page.pages as TreePage[]) : [];
    return [...own, ...flatPages(children, above ? `${above} › ${page.title}` : page.title)];
  });
}

/** Returns the pages whose titles hold a text, those that begin with it first. */
export function matching(pages: readonly FlatPage[], text: string, count = 12): FlatPage[] {
  const asked = searchText(text.trim());
  const found = pages.flatMap((page) => {
    const at = searchText(page.label).indexOf(asked);
    return at < 0 ? [] : [{ page, at: at === 0 ? 0 : 1 }];
  });
  return found
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ page }) => page);
}
