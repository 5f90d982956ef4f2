import { EditorState } from "prosemirror-state";
import { expect, it } from "vitest";

import { showing } from "./apply";
import { decode, encode } from "./codec";
import type { JsonDocument, JsonNode } from "./document";
import { imagesOf } from "./images";
import { schema } from "./schema";

function paragraph(key: string, text: string): JsonNode {
  return { object: "block", type: "paragraph", key, isVoid: false, data: {}, nodes: [{ object: "text", leaves: [{ object: "leaf", text, marks: [] }] }] } as JsonNode;
}

function documentOf(...nodes: JsonNode[]): JsonDocument {
  return { object: "document", data: {}, nodes };
}

it("keeps blocks that are not saved yet where they are", () => {
  const doc = decode(documentOf(paragraph("a", "One"), paragraph("b", "Two")));
  const unsaved = (key: string) => schema.node("atom", { json: { ...imagesOf(undefined), key } });
  let state = EditorState.create({ doc });
  state = state.apply(state.tr.insert(doc.child(0).nodeSize, [unsaved("x"), unsaved("y")]));
  expect(encode(state.doc).nodes.length).toBe(2);
  const others = decode(documentOf(paragraph("n", "New"), paragraph("a", "One!"), paragraph("b", "Two"), paragraph("c", "Three")));
  state = state.apply(showing(state, others));
  const found: string[] = [];
  state.doc.forEach((node) => found.push(node.textContent || String((node.attrs["json"] as JsonNode | undefined)?.key)));
  expect(found).toEqual(["New", "One!", "x", "y", "Two", "Three"]);
  // The block before them is gone.
  state = state.apply(showing(state, decode(documentOf(paragraph("b", "Two")))));
  expect(state.doc.childCount).toBe(3);
});
