import { expect, it } from "vitest";

import type { JsonDocument, JsonLeaf, JsonMark, JsonNode } from "./document";
import { roundTrip, withoutKeys } from "./roundtrip";

function leaf(text: string, marks: JsonMark[] = [], markup?: string): JsonLeaf {
  return { object: "leaf", text, marks, ...(markup !== undefined && { markup }) };
}

function paragraph(...leaves: JsonLeaf[]): JsonNode {
  return { object: "block", type: "paragraph", key: "p", isVoid: false, data: {}, nodes: [{ object: "text", key: "t", leaves }] };
}

function rewritten(node: JsonNode): JsonNode | undefined {
  const document: JsonDocument = { object: "document", data: {}, nodes: [node] };
  return roundTrip(document).rewritten.nodes[0];
}

it.each([
  ["source that is no text", paragraph(leaf("a "), leaf("<h4>", [], "<h4>"), leaf("b"), leaf("", [], "<!-- end -->"))],
  ["colours of their own", paragraph(leaf("a", [{ object: "mark", type: "color", data: { text: "default", background: "default", textHex: "#cd6e57" } }]))],
])("keeps %s when a text is written anew", (_, node) => {
  expect(withoutKeys(rewritten(node))).toEqual(withoutKeys(node));
});

it("adds no text to an item that begins with another block", () => {
  const line = { object: "block", type: "code-line", key: "l", isVoid: false, data: {}, nodes: [{ object: "text", key: "t", leaves: [leaf("ls")] }] };
  const code = { object: "block", type: "code", key: "c", isVoid: false, data: {}, nodes: [line] };
  const item = { object: "block", type: "list-item", key: "i", isVoid: false, data: {}, nodes: [code] };
  const list = { object: "block", type: "list-ordered", key: "o", isVoid: false, data: {}, nodes: [item] };
  expect(withoutKeys(rewritten(list))).toEqual(withoutKeys(list));
});
