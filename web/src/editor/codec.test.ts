import { TextSelection } from "prosemirror-state";
import { EditorState } from "prosemirror-state";
import { describe, expect, it } from "vitest";

import { decode, encode } from "./codec";
import type { JsonDocument, JsonNode } from "./document";
import fixture from "./fixtures/blocks.json";
import others from "./fixtures/others.json";
import { roundTrip, withoutKeys } from "./roundtrip";

const blocks = fixture as unknown as JsonDocument;

/** Types a text before the first occurrence of another one. */
function typed(document: JsonDocument, before: string, text: string): JsonDocument {
  const doc = decode(document);
  let at = -1;
  doc.descendants((node, position) => {
    const found = node.isText ? (node.text ?? "").indexOf(before) : -1;
    if (found >= 0 && at < 0) at = position + found;
  });
  const state = EditorState.create({ doc });
  return encode(state.tr.insertText(text, at).doc, document.data);
}

/** Returns a value whose objects have their fields in the order of the names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}

describe("documents", () => {
  it.each([blocks, others as unknown as JsonDocument])("stay the same without an edit", (document) => {
    expect(roundTrip(document).untouched).toEqual(document);
  });

  it.each([blocks, others as unknown as JsonDocument])("are equal if every block is written anew", (document) => {
    const forms = (nodes: JsonNode[]) => sorted(withoutKeys(nodes));
    expect(forms(roundTrip(document).rewritten.nodes)).toEqual(forms(document.nodes));
  });

  it("have a row of headers after that was removed from a table", () => {
    const state = EditorState.create({ doc: decode(blocks) });
    let at = -1;
    state.doc.descendants((node, position) => {
      if (node.type.name === "table" && at < 0) at = position;
    });
    const header = state.doc.nodeAt(at)?.firstChild;
    const { nodes } = encode(state.tr.delete(at + 1, at + 1 + (header?.nodeSize ?? 0)).doc);
    const table = nodes.find(({ type }) => type === "table");
    const definition = Object.entries(table?.data?.["definition"] as Record<string, { id: string; type: string }>);
    expect(definition.length).toBe(header?.childCount);
    for (const [id, column] of definition) expect(column).toMatchObject({ id, type: "text" });
  });

  it("differ in the edited block only", () => {
    for (const [before, type] of [
      ["Para ", "paragraph"],
      ["nested", "list-unordered"],
      ["Be careful", "hint"],
      ["const a", "code"],
      ["Body text", "expandable"],
      ["Tab two", "tabs"],
      ["Do it", "stepper"],
      ["Right", "columns"],
    ] as const) {
      const after = typed(blocks, before, "new ");
      const changed = after.nodes.filter((node, index) => node !== blocks.nodes[index]);
      expect(changed.map(({ type }) => type)).toEqual([type]);
      expect(JSON.stringify(changed)).toContain(`new ${before}`);
      expect(changed[0]?.key).toBe(blocks.nodes.find((node) => node.type === type)?.key);
    }
  });

  it("have every key once after a block was divided", () => {
    const state = EditorState.create({ doc: decode(blocks) });
    const divided = state.apply(state.tr.setSelection(TextSelection.create(state.doc, 3)).split(3));
    const keys = encode(divided.doc).nodes.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
