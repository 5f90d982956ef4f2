import { history, isHistoryTransaction } from "prosemirror-history";
import { type EditorState, Plugin, type SelectionBookmark, type Transaction } from "prosemirror-state";
import type { Mapping, Step, StepMap } from "prosemirror-transform";

const past = history({ newGroupDelay: 500 });

/** A change in the history: its map, and the step that takes it back unless others made it. */
export interface Item {
  map: StepMap;
  step?: Step;
  /** The selection before it, for the first one of those that are undone at once. */
  selection?: SelectionBookmark;
}

/** A list of items, which the history does not change. */
export interface Items {
  length: number;
  get: (at: number) => Item;
  slice: (from: number, to: number) => Items;
  append: (items: Item[]) => Items;
}

/** The part of the history that keeps its changes. */
export interface Branch {
  items: Items;
  eventCount: number;
  remapping: (from: number, to: number) => Mapping;
  compress: () => Branch;
  popEvent: (this: Branch, state: EditorState) => { remaining: Branch; transform: Transaction; selection: SelectionBookmark } | null;
}

/** What all branches have. The history does not export it. */
export const branch = Object.getPrototypeOf((past.spec.state?.init.call(past, {}, undefined as never) as { done: Branch }).done) as Branch;

// After 500 changes by others, the history would drop their maps. On the way it joins steps in the wrong
// order, and takes those that are not confirmed for others, so that undo changed something else, or failed
// each time. The maps need little memory.
branch.compress = function () {
  return this;
};

/**
 * Returns the plugins that undo what a person did, and nothing else. What another plugin appends to
 * an undo, such as the key of a block, counts as a change apart: the history would leave it out of its
 * list, and take its steps for each other when changes of others come before them.
 */
export function undoing(): Plugin[] {
  const apart = new Plugin({
    state: {
      init: () => null,
      apply(transaction) {
        const root = transaction.getMeta("appendedTransaction") as Transaction | undefined;
        if (root && isHistoryTransaction(root)) transaction.setMeta("appendedTransaction", undefined).setMeta("addToHistory", false);
        return null;
      },
    },
  });
  return [apart, past];
}
