import type { Schemas } from "../api/client";
import type { JsonNode } from "../editor/document";
import { textOf } from "./difference";

/** Returns the text of a document that consists of plain paragraphs; undefined for other documents. */
export function plainOf(nodes: readonly JsonNode[]): string | undefined {
  const isPlain = nodes.every(
    ({ type, nodes: inner = [] }) => type === "paragraph" && inner.every(({ object, leaves = [] }) => object === "text" && leaves.every(({ marks }) => marks.length === 0)),
  );
  return isPlain ? nodes.map(textOf).join("\n\n") : undefined;
}

/** Returns the document with the paragraphs of a text. */
export function documentOf(text: string): Schemas["JSONDocument"] {
  const paragraphs = text
    .split(/\n{2,}/)
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter(Boolean);
  const nodes = paragraphs.map((one) => ({
    object: "block",
    type: "paragraph",
    isVoid: false,
    data: {},
    nodes: [{ object: "text", leaves: [{ object: "leaf", text: one, marks: [] }] }],
  }));
  return { object: "document", data: {}, nodes: nodes as unknown as Schemas["JSONDocument"]["nodes"] };
}
