import { describe, expect, it } from "vitest";

import type { JsonNode } from "../editor/document";
import { type Block, byKeys, cellText, excerptOf, fingerprint, rowsOf, tableOf, textOf } from "./difference";

const node = (key: string, text = key): JsonNode => ({
  object: "block",
  type: "paragraph",
  key,
  nodes: [{ object: "text", leaves: [{ object: "leaf", text, marks: [] }] }],
});

const shown = (blocks: Block[], before: string[], after: string[]) =>
  rowsOf(blocks, before.map((key) => node(key)), after.map((key) => node(key))).map((row) =>
    row.kind === "same" ? row.nodes.map(({ key }) => key).join("") : `${row.block.change} ${row.block.after ?? row.block.before}`,
  );

const block = (change: Block["change"], before?: string, after?: string): Block => ({ change, type: "paragraph", ...(before && { before }), ...(after && { after }) });

describe("rowsOf", () => {
  it("puts unchanged blocks between the changed ones", () => {
    expect(shown([block("edited", "b", "b"), block("inserted", undefined, "e")], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"])).toEqual([
      "a",
      "edited b",
      "cd",
      "inserted e",
    ]);
  });

  it("puts deleted blocks after those that stood before them", () => {
    expect(shown([block("deleted", "c")], ["a", "b", "c", "d"], ["a", "b", "d"])).toEqual(["ab", "deleted c", "d"]);
    expect(shown([block("deleted", "a"), block("deleted", "b")], ["a", "b", "c"], ["c"])).toEqual(["deleted a", "deleted b", "c"]);
    expect(shown([block("deleted", "b"), block("deleted", "c")], ["a", "b", "c"], ["a"])).toEqual(["a", "deleted b", "deleted c"]);
  });

  it("shows a moved block at both places", () => {
    expect(shown([block("moved", "c", "c"), block("moved-away", "c")], ["a", "b", "c"], ["c", "a", "b"])).toEqual(["moved c", "ab", "moved-away c"]);
  });

  it("shows the changed blocks alone while the documents are not known", () => {
    expect(shown([block("edited", "b", "b"), block("deleted", "x")], [], [])).toEqual(["edited b", "deleted x"]);
  });
});

describe("documents", () => {
  it("have texts and keys", () => {
    const list: JsonNode = { object: "block", type: "list-unordered", key: "l", nodes: [node("a", "one"), node("b", "two")] };
    expect(textOf(list)).toBe("one two");
    expect(byKeys([list]).get("b")).toBe(list.nodes?.[1]);
  });

  it("have tables with columns and rows in order", () => {
    const table: JsonNode = {
      object: "block",
      type: "table",
      data: {
        view: { columns: ["n", "m"] },
        definition: { m: { title: "Much" }, n: { title: "Name" } },
        records: { r2: { orderIndex: "2", values: { n: "f2", m: 4 } }, r1: { orderIndex: "1", values: { n: "f1" } } },
      },
      fragments: [{ object: "fragment", fragment: "f1", nodes: [node("x", "first")] }],
    };
    const { columns, rows } = tableOf(table);
    expect(columns.map(({ title }) => title)).toEqual(["Name", "Much"]);
    expect(rows.map(({ id }) => id)).toEqual(["r1", "r2"]);
    expect(cellText(table, "f1")).toBe("first");
    expect(cellText(table, 4)).toBe("4");
  });
});

describe("excerptOf", () => {
  it("is the text after the change", () => {
    const text = [{ change: "same", text: "You need " } as const, { change: "deleted", text: "a key" } as const, { change: "inserted", text: "two keys" } as const];
    expect(excerptOf({ ...block("edited", "a", "a"), text })).toBe("You need two keys");
    expect(excerptOf({ ...block("edited", "l", "l"), parts: [{ ...block("edited", "a", "a"), text }] })).toBe("You need two keys");
  });
});

describe("fingerprint", () => {
  it("tells differences apart", () => {
    const difference = { kind: "page", id: "a", title: "A", change: "edited", attributes: [] } as const;
    expect(fingerprint({ ...difference, attributes: [] })).toBe(fingerprint({ ...difference, attributes: [] }));
    expect(fingerprint({ ...difference, attributes: [] })).not.toBe(fingerprint({ ...difference, title: "B", attributes: [] }));
  });
});
