import { Fragment, Slice } from "prosemirror-model";
import { EditorState } from "prosemirror-state";
import { expect, it } from "vitest";

import { showing } from "./apply";
import { decode } from "./codec";
import type { JsonDocument, JsonNode } from "./document";
import { imagesOf, pastedRef } from "./images";
import { schema } from "./schema";

function paragraph(key: string, text: string): JsonNode {
  return { object: "block", type: "paragraph", key, isVoid: false, data: {}, nodes: [{ object: "text", leaves: [{ object: "leaf", text, marks: [] }] }] } as JsonNode;
}

function documentOf(...nodes: JsonNode[]): JsonDocument {
  return { object: "document", data: {}, nodes };
}

it("keeps pictures that only the clipboard has, and takes over everything else", () => {
  const doc = decode(documentOf(paragraph("a", "One"), paragraph("b", "Two")));
  const picture = (key: string, ref: object | undefined) => schema.node("atom", { json: { ...imagesOf(ref), key } });
  const pasted = pastedRef("data:image/gif;base64,R0lGODlhAQABAAAAACw=");
  let state = EditorState.create({ doc });
  state = state.apply(state.tr.insert(doc.child(0).nodeSize, [picture("x", pasted), picture("y", pasted)]));
  const known = decode(documentOf(paragraph("n", "New"), paragraph("a", "One!"), paragraph("b", "Two")));
  const others = known.replace(known.content.size, known.content.size, new Slice(Fragment.from(picture("x", { kind: "url", url: "" })), 0, 0));
  state = state.apply(showing(state, others));
  const found: string[] = [];
  state.doc.forEach((node) => found.push(node.textContent || String((node.attrs["json"] as JsonNode | undefined)?.key)));
  expect(found).toEqual(["New", "One!", "Two", "x"]);
  expect((state.doc.child(3).attrs["json"] as JsonNode).nodes?.[0]?.data?.["ref"]).toBe(pasted);
});
