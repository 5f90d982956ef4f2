import { Fragment, type Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";

import { keyOf } from "./block-keys";
import { isSaved } from "./codec-write";

/** Returns a document with the pictures of the present one that only the clipboard has. The server knows their blocks without them. */
function withPictures(doc: Node, next: Node): Node {
  const known = new Map<string, Node>();
  doc.forEach((node) => {
    const key = keyOf(node);
    if (key !== undefined && node.type.name === "atom" && !isSaved(node)) known.set(key, node);
  });
  if (known.size === 0) return next;
  const blocks = next.content.content.map((node) => (node.type.name === "atom" && known.get(keyOf(node) ?? "")) || node);
  return next.copy(Fragment.from(blocks));
}

/** Returns a transaction that makes a document of the present one and touches different blocks only. */
export function showing(state: EditorState, saved: Node): Transaction {
  const { doc, tr } = state;
  const next = withPictures(doc, saved);
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
