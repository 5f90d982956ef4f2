import { describe, expect, it } from "vitest";

import type { TreePage } from "../api/place";
import { ancestorsOf, childrenOf, countBelow, findPage, hasMade, indexOf, inserted, moved, neighbour, removed, rowOf, sourceOf, specOf, spotOfDrop, storedSpot, updated } from "./tree";

function page(id: string, type: "document" | "group" | "link" = "document", pages: TreePage[] = []): TreePage {
  return { id, type, title: id, path: `path/${id}`, hidden: false, ...(type !== "link" && { pages }) } as unknown as TreePage;
}

const tree = [page("a"), page("g", "group", [page("b", "document", [page("c")]), page("l", "link"), page("d")])];
const index = indexOf(tree);

function shape(pages: readonly TreePage[]): string {
  return pages.map((one) => (childrenOf(one).length > 0 ? `${one.id}(${shape(childrenOf(one))})` : one.id)).join(" ");
}

describe("the tree of pages", () => {
  it("finds pages by id, by path, and the first document", () => {
    expect(findPage(index, "c")?.id).toBe("c");
    expect(findPage(index, "path/d")?.id).toBe("d");
    expect(findPage(index, undefined)?.id).toBe("a");
    expect(findPage(index, "none")).toBeUndefined();
  });

  it("lists what is around a page", () => {
    expect(ancestorsOf(index, "c").map(({ id }) => id)).toEqual(["g", "b"]);
    expect(countBelow(tree[1]!)).toBe(4);
    expect(rowOf(tree, new Set(["g"]), "d")).toBe(4);
    expect(rowOf(tree, new Set(["g", "b"]), "d")).toBe(5);
    expect(rowOf(tree, new Set(), "d")).toBe(-1);
  });

  it("moves in four directions", () => {
    expect(neighbour(index, "d", "up")).toEqual({ into: "g", at: 1 });
    expect(neighbour(index, "b", "up")).toBeUndefined();
    expect(neighbour(index, "b", "down")).toEqual({ into: "g", at: 1 });
    expect(neighbour(index, "d", "down")).toBeUndefined();
    expect(neighbour(index, "l", "in")).toEqual({ into: "b", at: 1 });
    expect(neighbour(index, "c", "out")).toEqual({ into: "g", at: 1 });
    expect(neighbour(index, "a", "out")).toBeUndefined();
  });

  it("puts nothing below links, and groups at the top level only", () => {
    expect(neighbour(index, "d", "in")).toBeUndefined();
    expect(neighbour(index, "g", "in")).toBeUndefined();
    expect(spotOfDrop(index, "a", "l", "on")).toBeUndefined();
    expect(spotOfDrop(index, "g", "a", "on")).toBeUndefined();
    expect(spotOfDrop(index, "g", "a", "before")).toEqual({ into: null, at: 0 });
  });

  it("drops at places counted without the page", () => {
    expect(spotOfDrop(index, "b", "d", "before")).toEqual({ into: "g", at: 1 });
    expect(spotOfDrop(index, "b", "d", "after")).toEqual({ into: "g", at: 2 });
    expect(spotOfDrop(index, "a", "b", "on")).toEqual({ into: "b", at: 1 });
    expect(spotOfDrop(index, "b", "c", "on")).toBeUndefined();
    expect(spotOfDrop(index, "b", "b", "after")).toBeUndefined();
  });

  it("changes what is shown, and keeps the pages that stay", () => {
    expect(shape(moved(tree, "c", { into: null, at: 1 }))).toBe("a c g(b l d)");
    expect(shape(moved(tree, "b", { into: "g", at: 2 }))).toBe("a g(l d b(c))");
    expect(shape(removed(tree, "b"))).toBe("a g(l d)");
    expect(shape(inserted(tree, { into: "d", at: 0 }, page("n")))).toBe("a g(b(c) l d(n))");
    const after = updated(tree, "d", { title: "D" });
    expect(findPage(indexOf(after), "d")?.title).toBe("D");
    expect(after[0]).toBe(tree[0]);
    expect(moved(tree, "none", { into: null, at: 0 })).toEqual(tree);
  });
});

describe("pages that a source makes", () => {
  const computed = { type: "builtin:openapi", dependencies: { spec: { ref: { kind: "openapi", spec: "pets" } } } };
  const made = (id: string) => ({ ...page(id), computed }) as unknown as TreePage;
  const source = { id: "s", type: "computed", title: "", computed } as unknown as TreePage;
  const shown = [page("a"), page("t", "group", [made("m1")]), made("m2"), made("m3"), page("b"), page("own", "group", [made("n")])];
  const stored = indexOf([page("a"), source, page("b"), page("own", "group", [{ ...source, id: "s2" }])]);
  const shownIndex = indexOf(shown, stored);

  it("are told from others, and groups of a source from those that hold one", () => {
    expect([...shownIndex.values()].filter((entry) => entry.isMade).map((entry) => entry.page.id)).toEqual(["t", "m1", "m2", "m3", "n"]);
    expect(hasMade(shown)).toBe(true);
    expect(hasMade(tree)).toBe(false);
    expect([shown[2]!, source, shown[0]!].map(specOf)).toEqual(["pets", "pets", undefined]);
  });

  it("have the page of their source, unless it can be several", () => {
    const one = indexOf([page("a"), source, page("own", "group")]);
    expect([shown[1]!, shown[2]!].map((of) => sourceOf(of, shownIndex, one)?.id)).toEqual(["s", "s"]);
    expect(sourceOf(shown[0]!, shownIndex, one)).toBeUndefined();
    expect(sourceOf(shown[2]!, shownIndex, stored)).toBeUndefined();
  });

  it("count as one page in changes", () => {
    const at = (position: number, moved?: string) => storedSpot(shownIndex, stored, { into: null, at: position }, moved).at;
    expect([0, 1, 2, 4, 5, 6].map((position) => at(position))).toEqual([0, 1, 2, 2, 3, 4]);
    expect(at(3, "a")).toBe(1);
    expect(at(0, "b")).toBe(0);
    expect(storedSpot(shownIndex, stored, { into: "own", at: 1 })).toEqual({ into: "own", at: 1 });
    expect(storedSpot(shownIndex, stored, { into: "own", at: 0 })).toEqual({ into: "own", at: 0 });
  });

  it("stay together", () => {
    expect(neighbour(shownIndex, "b", "up")).toEqual({ into: null, at: 1 });
    expect(neighbour(shownIndex, "a", "down")).toEqual({ into: null, at: 3 });
    expect(neighbour(shownIndex, "b", "in")).toBeUndefined();
    expect(spotOfDrop(shownIndex, "m2", "a", "before")).toBeUndefined();
    expect(spotOfDrop(shownIndex, "a", "m2", "on")).toBeUndefined();
    expect(spotOfDrop(shownIndex, "a", "m1", "before")).toBeUndefined();
    expect(spotOfDrop(shownIndex, "a", "m3", "after")).toEqual({ into: null, at: 3 });
  });

  it("leave an address to the page of their source while they are not there", () => {
    expect(findPage(indexOf([source]), undefined)?.id).toBe("s");
    expect(findPage(indexOf([source, page("a")]), undefined)?.id).toBe("a");
    expect(findPage(indexOf([source]), "nothing")).toBeUndefined();
  });
});
