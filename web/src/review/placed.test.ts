import { describe, expect, it } from "vitest";

import type { Schemas } from "../api/client";
import type { Block, Difference } from "./difference";
import { commentsOn, NO_COMMENTS, placedComments, placedIds } from "./placed";

const block = (key: string, parts: Block[] = []): Block => ({ change: "edited", type: "paragraph", before: key, after: key, parts });
const page = (id: string, blocks: Block[], change: Difference["change"] = "edited"): Difference => ({
  kind: "page",
  id,
  title: id,
  change,
  attributes: [],
  document: { inserted: 0, deleted: 0, edited: 1, moved: 0, blocks },
});
const comment = (id: string, target: object) => ({ id, target: { space: "s", revision: "r", ...target } }) as unknown as Schemas["Comment"];

const differences = [page("p", [block("list", [block("item")])]), page("q", []), page("d", [], "deleted")];
const onItem = comment("1", { page: { id: "p" }, node: { id: "item" } });
const onPage = comment("2", { page: { id: "q" } });

describe("placedComments", () => {
  it("places comments on changed blocks and on changed pages", () => {
    const placed = placedComments(differences, [onItem, onPage]);
    expect(placed.get("p")?.count).toBe(1);
    expect(placed.get("q")?.whole).toEqual([onPage]);
    expect([...placedIds(placed)]).toEqual(["1", "2"]);
  });

  it.each([
    ["an unchanged block", { page: { id: "p" }, node: { id: "other" } }],
    ["another page", { page: { id: "z" } }],
    ["a deleted page", { page: { id: "d" } }],
    ["a block that is gone", { page: { id: "p" }, node: { id: "item" }, gone: "node" }],
    ["a review", { page: { id: "p" }, review: "r1" }],
    ["the change request", {}],
  ])("leaves out a comment on %s", (_, target) => expect(placedComments(differences, [comment("1", target)]).size).toBe(0));
});

describe("commentsOn", () => {
  it("are those on the block and on the blocks in it", () => {
    const comments = placedComments(differences, [onItem]).get("p") ?? NO_COMMENTS;
    expect(commentsOn(block("list", [block("item")]), comments)).toEqual([onItem]);
    expect(commentsOn(block("another"), comments)).toEqual([]);
  });
});
