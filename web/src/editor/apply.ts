import { Fragment, type Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";

import { keyOf } from "./block-keys";
import { isSaved } from "./codec-write";

/**
 * Returns a document with the blocks of the present one that are about nothing yet and so in no
 * saved one, such as a picture that is being uploaded. Each stays behind the block before it.
 */
function withUnsaved(doc: Node, next: Node): Node {
  const blocks = [...next.content.content];
  let previous: string | undefined;
  doc.forEach((node, _, index) => {
    if (node.type.name === "atom" && !isSaved(node)) {
      const at = blocks.findIndex((block) => previous !== undefined && keyOf(block) === previous) + 1;
      blocks.splice(at > 0 || index === 0 ? at : blocks.length, 0, node);
    }
    previous = keyOf(node);
  });
  return blocks.length === next.childCount ? next : next.copy(Fragment.from(blocks));
}

/** Returns a transaction that makes a document of the present one and touches different blocks only. */
export function showing(state: EditorState, saved: Node): Transaction {
  const { doc, tr } = state;
  const next = withUnsaved(doc, saved);
  let start = 0;
  const most = Math.min(doc.childCount, next.childCount);
  while (start < most && doc.child(start).eq(next.child(start))) start += 1;
  let end = 0;
  while (end < most - start && doc.child(doc.childCount - 1 - end).eq(next.child(next.childCount - 1 - end))) end += 1;
  const [oldEnd, newEnd] = [doc.childCount - end, next.childCount - end];
  let position = 0;
  for (let index = 0; index < start; index += 1) position += doc.child(index).nodeSize;
  const isPaired =
    oldEnd === newEnd && Array.from({ length: oldEnd - start }, (_, at) => start + at).every((at) => keyOf(doc.child(at)) === keyOf(next.child(at)));
  if (isPaired) {
    for (let index = start; index < oldEnd; index += 1) {
      const [old, made] = [doc.child(index), next.child(index)];
      const from = tr.mapping.map(position, -1);
      if (!old.eq(made)) tr.replaceWith(from, from + old.nodeSize, made);
      position += old.nodeSize;
    }
    return tr;
  }
  let size = 0;
  for (let index = start; index < oldEnd; index += 1) size += doc.child(index).nodeSize;
  const nodes = Array.from({ length: newEnd - start }, (_, at) => next.child(start + at));
  return tr.replaceWith(position, position + size, nodes);
}
