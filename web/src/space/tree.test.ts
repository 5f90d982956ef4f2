import { describe, expect, it } from "vitest";

import type { TreePage } from "../api/place";
import { ancestorsOf, childrenOf, countBelow, findPage, indexOf, inserted, moved, neighbour, removed, rowOf, spotOfDrop, updated } from "./tree";

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
