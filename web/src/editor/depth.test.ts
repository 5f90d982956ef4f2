import type { Node, NodeType } from "prosemirror-model";
import { EditorState } from "prosemirror-state";
import { expect, it } from "vitest";

import { depthOf, maxDepth } from "./depth";
import { schema } from "./schema";

/** Returns a paragraph within a number of quotes. */
function quoted(quotes: number): Node {
  let block = schema.node("paragraph", null, schema.text("a"));
  for (let made = 0; made < quotes; made += 1) block = schema.node("blockquote", null, block);
  return schema.node("doc", null, [block, schema.node("paragraph")]);
}

it("refuses changes that put more than 52 nodes within each other", () => {
  let refused = 0;
  const open = (quotes: number) => EditorState.create({ doc: quoted(quotes), plugins: [maxDepth(() => (refused += 1))] });
  const wrapped = (state: EditorState, isRemote = false) => {
    const { $from, $to } = state.selection;
    const range = $from.blockRange($to);
    const transaction = state.tr.setMeta("remote", isRemote);
    if (range) transaction.wrap(range, [{ type: schema.nodes["blockquote"] as NodeType }]);
    return state.apply(transaction);
  };
  const full = wrapped(open(49));
  expect(depthOf(full.doc)).toBe(52);
  expect(refused).toBe(0);
  expect(wrapped(full).doc).toBe(full.doc);
  expect(refused).toBe(1);
  // Other changes, those of the server, and those that leave a deeper text as deep as it was are taken.
  expect(full.apply(full.tr.insertText("b", full.selection.from)).doc.textContent).toBe("ba");
  expect(depthOf(wrapped(full, true).doc)).toBe(53);
  const deeper = open(60);
  expect(deeper.apply(deeper.tr.insertText("b", deeper.doc.content.size - 1)).doc.textContent).toBe("ab");
  expect(refused).toBe(1);
});
