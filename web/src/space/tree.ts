import type { Schemas } from "../api/client";
import type { TreePage } from "../api/place";
import type { Looks } from "./looks";

/** A page with its place in the tree. */
export interface Entry {
  page: TreePage;
  /** The page that contains it; null at the top level. */
  parent: string | null;
  /** The number of siblings before it. */
  position: number;
  /** The pages at the same place, this one included. */
  siblings: readonly TreePage[];
  /** True if a source makes the page, so that it cannot be changed. */
  isMade: boolean;
}

/** The pages of a tree by their ids. */
export type TreeIndex = ReadonlyMap<string, Entry>;

/** The place to which a page moves: its new parent, and the number of siblings before it. */
export interface Spot {
  into: string | null;
  at: number;
}

/** Fields of a page that changes set. */
export type PageFields = Schemas["RevisionPageUpdate"] & Partial<Looks>;

const NONE: readonly TreePage[] = [];

/** Returns the pages directly below a page. */
export function childrenOf(page: TreePage): readonly TreePage[] {
  return "pages" in page ? page.pages : NONE;
}

/** Returns true if pages can stand below the page. */
export function canContain(page: TreePage): boolean {
  return page.type === "document" || page.type === "group";
}

/** Returns true if the page is not in the navigation. */
export function isHidden(page: TreePage): boolean {
  return "hidden" in page && page.hidden;
}

/** Returns the slug of the API specification that a page shows, or that its pages would show. */
export function specOf(page: TreePage): string | undefined {
  const { computed } = page as { computed?: Schemas["ComputedContentSourceOpenAPIBase"] };
  return computed?.type === "builtin:openapi" ? computed.dependencies.spec.ref.spec : undefined;
}

/** Returns `true` if a source makes a page; a group if all pages in it are made, and none of its own is known. */
function isMade(page: TreePage, stored: TreeIndex | undefined): boolean {
  if (page.type !== "group") return page.type === "document" && "computed" in page;
  return page.pages.length > 0 && stored?.has(page.id) !== true && page.pages.every((child) => isMade(child, stored));
}

/** Returns `true` if sources make some pages of a tree. */
export function hasMade(pages: readonly TreePage[]): boolean {
  return pages.some((page) => isMade(page, undefined) || hasMade(childrenOf(page)));
}

/** Returns the page of the source that makes a page; undefined if it is not known, or one of several. */
export function sourceOf(page: TreePage, index: TreeIndex, stored: TreeIndex): TreePage | undefined {
  const made = page.type === "group" ? page.pages[0] : page;
  if (!made || index.get(page.id)?.isMade !== true) return undefined;
  const found = [...stored.values()].filter((entry) => entry.page.type === "computed" && specOf(entry.page) === specOf(made) && !index.has(entry.page.id));
  return found.length === 1 ? found[0]?.page : undefined;
}

/** Returns the pages of a tree by their ids, in the order of the tree; `stored` are those that no source makes. */
export function indexOf(pages: readonly TreePage[], stored?: TreeIndex): TreeIndex {
  const index = new Map<string, Entry>();
  const add = (siblings: readonly TreePage[], parent: string | null) => {
    siblings.forEach((page, position) => {
      index.set(page.id, { page, parent, position, siblings, isMade: isMade(page, stored) });
      add(childrenOf(page), page.id);
    });
  };
  add(pages, null);
  return index;
}

function siblingsIn(index: TreeIndex, parent: string | null): readonly TreePage[] {
  if (parent !== null) return index.has(parent) ? childrenOf(index.get(parent)!.page) : NONE;
  for (const { siblings } of index.values()) return siblings;
  return NONE;
}

/**
 * Returns a place as changes name it: they count the page of a source, and not the pages that it
 * makes. `moved` is the page that leaves its place.
 */
export function storedSpot(index: TreeIndex, stored: TreeIndex, { into, at }: Spot, moved?: string): Spot {
  const before = siblingsIn(index, into)
    .filter(({ id }) => id !== moved)
    .slice(0, at);
  const kept = siblingsIn(stored, into).filter(({ id }) => id !== moved);
  const last = before.findLastIndex(({ id }) => stored.has(id));
  let position = kept.findIndex(({ id }) => id === before[last]?.id) + 1;
  const isAfterMade = before.slice(last + 1).some(({ id }) => index.get(id)?.isMade === true);
  if (isAfterMade) while (kept[position]?.type === "computed" && !index.has(kept[position]!.id)) position += 1;
  return { into, at: position };
}

/** Returns the page with an id or a path; the first one with a text if neither is given. */
export function findPage(index: TreeIndex, asked: string | undefined): TreePage | undefined {
  const direct = asked === undefined ? undefined : index.get(asked);
  if (direct) return direct.page;
  let pending: TreePage | undefined;
  for (const { page } of index.values()) {
    if (asked === undefined ? page.type === "document" : "path" in page && page.path === asked) return page;
    if (page.type === "computed") pending ??= page;
  }
  return asked === undefined ? pending : undefined;
}

/** Returns the pages that contain a page, from the top level down. */
export function ancestorsOf(index: TreeIndex, id: string): TreePage[] {
  const found: TreePage[] = [];
  let parent = index.get(id)?.parent ?? null;
  while (parent !== null) {
    const entry = index.get(parent);
    if (!entry) break;
    found.unshift(entry.page);
    parent = entry.parent;
  }
  return found;
}

/** Returns the number of rows before a page where only some branches are open; -1 if it has no row. */
export function rowOf(pages: readonly TreePage[], open: ReadonlySet<unknown>, id: string): number {
  let row = 0;
  const look = (siblings: readonly TreePage[]): boolean =>
    siblings.some((page) => {
      if (page.id === id) return true;
      row += 1;
      return open.has(page.id) && look(childrenOf(page));
    });
  return look(pages) ? row : -1;
}

/** Returns the number of pages below a page. */
export function countBelow(page: TreePage): number {
  return childrenOf(page).reduce((sum, child) => sum + 1 + countBelow(child), 0);
}

/** Returns the place at the end of the children of a page. */
export function endOfChildren(page: TreePage): Spot {
  return { into: page.id, at: childrenOf(page).length };
}

/** The directions in which keys move a page. */
export type Direction = "up" | "down" | "in" | "out";

/** Returns the place to which a page moves in a direction, or undefined if there is none. */
export function neighbour(index: TreeIndex, id: string, direction: Direction): Spot | undefined {
  const entry = index.get(id);
  if (!entry) return undefined;
  const { page, parent, position, siblings } = entry;
  // Nothing can stand between pages that a source makes.
  const isMadeAt = (at: number) => index.get(siblings[at]?.id ?? "")?.isMade === true;
  switch (direction) {
    case "up": {
      let at = position - 1;
      while (isMadeAt(at) && isMadeAt(at - 1)) at -= 1;
      return position > 0 ? { into: parent, at } : undefined;
    }
    case "down": {
      let at = position + 1;
      while (isMadeAt(at) && isMadeAt(at + 1)) at += 1;
      return position < siblings.length - 1 ? { into: parent, at } : undefined;
    }
    case "in": {
      const before = siblings[position - 1];
      if (page.type === "group" || !before || !canContain(before) || isMadeAt(position - 1)) return undefined;
      return { into: before.id, at: childrenOf(before).length };
    }
    case "out": {
      const around = parent === null ? undefined : index.get(parent);
      return around && { into: around.parent, at: around.position + 1 };
    }
  }
}

/** Returns the place of a page that is dropped before, after or on another one. */
export function spotOfDrop(index: TreeIndex, id: string, target: string, position: "before" | "after" | "on"): Spot | undefined {
  const moved = index.get(id);
  const entry = index.get(target);
  const isInMade = entry?.isMade === true && (position === "on" || (entry.parent !== null && index.get(entry.parent)?.isMade === true));
  if (!moved || moved.isMade || !entry || isInMade || id === target || ancestorsOf(index, target).some((page) => page.id === id)) return undefined;
  if (position === "on") {
    if (moved.page.type === "group" || !canContain(entry.page)) return undefined;
    const others = childrenOf(entry.page).filter((page) => page.id !== id);
    return { into: target, at: others.length };
  }
  if (moved.page.type === "group" && entry.parent !== null) return undefined;
  const others = entry.siblings.filter((page) => page.id !== id);
  const at = others.findIndex((page) => page.id === target);
  return { into: entry.parent, at: position === "before" ? at : at + 1 };
}

/** Returns the tree with other children below one page. Unaffected pages stay the same objects. */
function withChildren(
  pages: readonly TreePage[],
  parent: string | null,
  change: (children: readonly TreePage[]) => readonly TreePage[],
): TreePage[] {
  if (parent === null) return [...change(pages)];
  return pages.map((page) => {
    const before = childrenOf(page);
    const after = page.id === parent ? change(before) : before.length > 0 ? withChildren(before, parent, change) : before;
    const isSame = after.length === before.length && after.every((child, at) => child === before[at]);
    return isSame ? page : ({ ...page, pages: after } as TreePage);
  });
}

/** Returns the tree with a page inserted. */
export function inserted(pages: readonly TreePage[], { into, at }: Spot, page: TreePage): TreePage[] {
  return withChildren(pages, into, (children) => [...children.slice(0, at), page, ...children.slice(at)]);
}

/** Returns the tree without a page and those below it. */
export function removed(pages: readonly TreePage[], id: string): TreePage[] {
  const entry = indexOf(pages).get(id);
  if (!entry) return [...pages];
  return withChildren(pages, entry.parent, (children) => children.filter((page) => page.id !== id));
}

/** Returns the tree with a page at another place. */
export function moved(pages: readonly TreePage[], id: string, spot: Spot): TreePage[] {
  const entry = indexOf(pages).get(id);
  return entry ? inserted(removed(pages, id), spot, entry.page) : [...pages];
}

/** Returns the tree with other fields of a page. */
export function updated(pages: readonly TreePage[], id: string, fields: PageFields): TreePage[] {
  const entry = indexOf(pages).get(id);
  if (!entry) return [...pages];
  return withChildren(pages, entry.parent, (children) =>
    children.map((page) => (page.id === id ? ({ ...page, ...fields } as TreePage) : page)),
  );
}
