import type { Node } from "prosemirror-model";
import { type Command, NodeSelection, Selection, TextSelection, type Transaction } from "prosemirror-state";

import { freed } from "./block-keys";
import { schema } from "./schema";

const PARENTS = new Set(["doc", "column", "tab", "step", "expandable_body", "hint", "condition", "blockquote", "bullet_list", "ordered_list", "task_list"]);

/** Blocks of one parent that stand one after the other. */
export interface BlockRange {
  parent: Node;
  /** The depth of the parent. */
  depth: number;
  start: number;
  end: number;
  startIndex: number;
  endIndex: number;
}

/** Returns the blocks that a range of the text touches: items of a list, or children of a block or of the document. */
export function blockRange(doc: Node, from: number, to = from): BlockRange | undefined {
  const [$from, $to] = [doc.resolve(from), doc.resolve(to)];
  for (let depth = $from.sharedDepth(to); depth >= 0; depth -= 1) {
    const parent = $from.node(depth);
    if (!PARENTS.has(parent.type.name)) continue;
    const startIndex = Math.min($from.index(depth), parent.childCount - 1);
    const endIndex = Math.max($to.indexAfter(depth), startIndex + 1);
    return { parent, depth, startIndex, endIndex, start: $from.posAtIndex(startIndex, depth), end: $from.posAtIndex(endIndex, depth) };
  }
  return undefined;
}

/** Returns the blocks of a range. */
export function blocksOf({ parent, startIndex, endIndex }: BlockRange): Node[] {
  return Array.from({ length: endIndex - startIndex }, (_, index) => parent.child(startIndex + index));
}

function ofSelection(doc: Node, { from, to }: Selection): BlockRange | undefined {
  return blockRange(doc, from, to);
}

/** Moves the selected blocks over their neighbour. */
export function moveBlocks(direction: -1 | 1): Command {
  return (state, dispatch) => {
    const range = ofSelection(state.doc, state.selection);
    if (!range) return false;
    const { parent, start, end, startIndex, endIndex } = range;
    const index = direction < 0 ? startIndex - 1 : endIndex;
    if (index < 0 || index >= parent.childCount) return false;
    if (!dispatch) return true;
    const neighbour = parent.child(index);
    const size = neighbour.nodeSize;
    const transaction = state.tr;
    // The neighbour goes to the other side, so that the selection stays what it is.
    if (direction < 0) transaction.insert(end, neighbour).delete(start - size, start);
    else transaction.delete(end, end + size).insert(start, neighbour);
    dispatch(transaction.scrollIntoView());
    return true;
  };
}

/** Copies the selected blocks below themselves. */
export const duplicateBlocks: Command = (state, dispatch) => {
  const range = ofSelection(state.doc, state.selection);
  if (!range) return false;
  if (!dispatch) return true;
  const transaction = state.tr.insert(range.end, freed(state.doc.slice(range.start, range.end).content));
  const offset = range.end - range.start;
  const { from, to } = state.selection;
  if (state.selection instanceof NodeSelection) transaction.setSelection(NodeSelection.create(transaction.doc, from + offset));
  else transaction.setSelection(TextSelection.between(transaction.doc.resolve(from + offset), transaction.doc.resolve(to + offset)));
  dispatch(transaction.scrollIntoView());
  return true;
};

/** Removes blocks, and the list that they were all of. A parent that needs a block keeps an empty text. */
export function removeRange(transaction: Transaction, range: BlockRange): void {
  const { parent, depth, start, end, startIndex, endIndex } = range;
  const isAll = startIndex === 0 && endIndex === parent.childCount;
  if (!isAll) {
    transaction.delete(start, end);
  } else if (parent.type.name.endsWith("_list")) {
    const at = transaction.doc.resolve(start);
    const outer = blockRange(transaction.doc, at.before(depth), at.after(depth));
    if (outer) removeRange(transaction, outer);
  } else {
    transaction.replaceWith(start, end, schema.node("paragraph"));
  }
}

/** Deletes the selected blocks. */
export const deleteBlocks: Command = (state, dispatch) => {
  const range = ofSelection(state.doc, state.selection);
  if (!range) return false;
  if (!dispatch) return true;
  const transaction = state.tr;
  removeRange(transaction, range);
  const at = Math.min(range.start, transaction.doc.content.size);
  dispatch(transaction.setSelection(Selection.near(transaction.doc.resolve(at), range.startIndex === 0 ? 1 : -1)).scrollIntoView());
  return true;
};

/** Selects the block of the text as a whole. */
export const selectBlock: Command = (state, dispatch) => {
  if (state.selection instanceof NodeSelection) return false;
  const range = ofSelection(state.doc, state.selection);
  const node = range?.parent.child(range.startIndex);
  if (!range || !node || range.endIndex - range.startIndex > 1) return false;
  dispatch?.(state.tr.setSelection(NodeSelection.create(state.doc, range.start)));
  return true;
};
