import { history, isHistoryTransaction } from "prosemirror-history";
import { Plugin, type Transaction } from "prosemirror-state";

const past = history({ newGroupDelay: 500 });

/** The part of the history that keeps its steps. */
interface Branch {
  compress: () => Branch;
}

// After 500 changes by others, the history would drop their maps. On the way it joins steps in the wrong
// order, and takes those that are not confirmed for others, so that undo changed something else, or failed
// each time. The maps need little memory.
const { done } = past.spec.state?.init.call(past, {}, undefined as never) as { done: Branch };
(Object.getPrototypeOf(done) as Branch).compress = function (this: Branch) {
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
