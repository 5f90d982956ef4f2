import type { Node } from "prosemirror-model";
import { Plugin } from "prosemirror-state";

import { isRemote } from "./unconfirmed";

/** Maximum number of nodes within each other in a text: 50 quotes, or 25 lists with their items, and a paragraph with its text. The server refuses more. */
const MAX_DEPTH = 52;

const known = new WeakMap<Node, number>();

/** Returns the number of nodes within each other in a node, which is not counted. */
export function depthOf(node: Node): number {
  let depth = known.get(node);
  if (depth === undefined) {
    depth = 0;
    for (const child of node.children) depth = Math.max(depth, 1 + depthOf(child));
    known.set(node, depth);
  }
  return depth;
}

/** Refuses changes of the person that would put too many nodes within each other, and tells of it. */
export function maxDepth(onRefused: () => void): Plugin {
  return new Plugin({
    filterTransaction(transaction, { doc }) {
      if (!transaction.docChanged || isRemote(transaction)) return true;
      const depth = depthOf(transaction.doc);
      const fits = depth <= MAX_DEPTH || depth <= depthOf(doc);
      if (!fits) onRefused();
      return fits;
    },
  });
}
