import { describe, expect, it } from "vitest";

import { indexOf, moved, neighbour, type Node, spotOf, spotOfDrop } from "./tree";

const space = (id: string) => ({ kind: "site-space", id, title: id, children: [] }) as unknown as Node;
const section = (id: string, ...children: Node[]) => ({ kind: "site-section", id, title: id, children }) as unknown as Node;
const group = (id: string, ...children: Node[]) => ({ kind: "site-section-group", id, title: id, children }) as unknown as Node;

const nodes = [section("guide", space("en"), space("de")), group("more", section("blog", space("blog-en"))), group("empty"), section("last", space("l"))];
const index = indexOf(nodes);

/** Returns the ids of a tree with brackets. */
function text(list: readonly Node[]): string {
  return list.map(({ id, children }) => (children.length > 0 ? `${id}(${text(children)})` : id)).join(" ");
}

function shift(id: string, direction: "up" | "down" | "in" | "out"): string | undefined {
  const spot = neighbour(nodes, index, id, direction);
  return spot && text(moved(nodes, id, spot));
}

describe("moves by keys", () => {
  it("moves among siblings", () => {
    expect(shift("de", "up")).toBe("guide(de en) more(blog(blog-en)) empty last(l)");
    expect(shift("guide", "up")).toBeUndefined();
  });

  it("moves spaces to the neighbouring section", () => {
    expect(shift("de", "down")).toBe("guide(en) more(blog(de blog-en)) empty last(l)");
    expect(shift("l", "up")).toBe("guide(en de) more(blog(blog-en l)) empty last");
    expect(shift("de", "in")).toBeUndefined();
  });

  it("moves sections into groups and out of them", () => {
    expect(shift("last", "in")).toBe("guide(en de) more(blog(blog-en)) empty(last(l))");
    expect(shift("blog", "out")).toBe("guide(en de) more blog(blog-en) empty last(l)");
    expect(shift("empty", "in")).toBe("guide(en de) more(blog(blog-en) empty) last(l)");
  });
});

describe("drops", () => {
  const drop = (id: string, target: string, position: "before" | "after" | "on") => spotOfDrop(index, id, target, position);

  it("accepts places of the same kind", () => {
    expect(drop("en", "blog-en", "before")).toMatchObject({ before: { id: "blog-en" } });
    expect(drop("en", "blog", "on")).toMatchObject({ after: { id: "blog-en" } });
    expect(drop("guide", "empty", "on")).toMatchObject({ into: { id: "empty" } });
  });

  it("refuses other places", () => {
    expect(drop("en", "last", "before")).toBeUndefined();
    expect(drop("guide", "en", "before")).toBeUndefined();
    expect(drop("more", "blog", "after")).toBeUndefined();
    expect(drop("more", "more", "on")).toBeUndefined();
  });
});

it("finds the way back", () => {
  for (const id of ["guide", "de", "last", "blog"]) {
    const back = spotOf(index, id);
    const target = id === "blog" ? neighbour(nodes, index, id, "out") : (neighbour(nodes, index, id, "up") ?? neighbour(nodes, index, id, "down"));
    if (!back || !target) throw new Error(id);
    expect(text(moved(moved(nodes, id, target), id, back))).toBe(text(nodes));
  }
});
