import { expect, it } from "vitest";

import type { JsonNode } from "../editor/document";
import { documentOf, plainOf } from "./plain";

it("paragraphs survive the way to a document and back", () => {
  const nodes = documentOf("One line\nand its rest.\n\nA second paragraph.").nodes as unknown as JsonNode[];
  expect(nodes).toHaveLength(2);
  expect(plainOf(nodes)).toBe("One line and its rest.\n\nA second paragraph.");
});

it("documents with more than plain paragraphs are no plain text", () => {
  const bold = { object: "leaf" as const, text: "bold", marks: [{ object: "mark" as const, type: "bold" }] };
  expect(plainOf([{ object: "block", type: "paragraph", nodes: [{ object: "text", leaves: [bold] }] }])).toBeUndefined();
  expect(plainOf([{ object: "block", type: "divider" }])).toBeUndefined();
  expect(plainOf([])).toBe("");
});
