import { Fragment, type Node, Slice } from "prosemirror-model";
import { Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

import { newKey } from "./codec";
import type { JsonNode } from "./document";
import { isRemote } from "./unconfirmed";

/** The attributes that name the parts of a table; those of other nodes are called `key`. */
const NAMES: Record<string, string> = { table_header: "column", table_row: "record" };

function nameOf(node: Node): string {
  return NAMES[node.type.name] ?? "key";
}

/** Returns the key of a block, or undefined if it has none. */
export function keyOf(node: Node): string | undefined {
  const key = node.type.name === "atom" ? (node.attrs["json"] as JsonNode).key : (node.attrs[nameOf(node)] as string | null | undefined);
  return key ?? undefined;
}

function hasKey(node: Node): boolean {
  return node.type.name === "atom" || node.type.spec.attrs?.[nameOf(node)] !== undefined;
}

function withKey(node: Node, key: string): Node {
  const { attrs, marks } = node;
  if (node.type.name !== "atom") return node.type.create({ ...attrs, [nameOf(node)]: key }, node.content, marks);
  return node.type.create({ ...attrs, json: { ...(attrs["json"] as JsonNode), key } }, undefined, marks);
}

/** Returns nodes with new keys for those that have none, or one that `isTaken` refuses. */
export function freed(content: Fragment, isTaken: (key: string) => boolean = () => true): Fragment {
  const nodes: Node[] = [];
  content.forEach((node) => {
    const inner = node.isLeaf ? node : node.copy(freed(node.content, isTaken));
    const key = keyOf(node);
    nodes.push(hasKey(node) && (key === undefined || isTaken(key)) ? withKey(inner, newKey()) : inner);
  });
  return Fragment.fromArray(nodes);
}

/** Returns what is pasted with keys that the document does not have already. Blocks that are moved keep theirs. */
export function freedSlice(slice: Slice, view: EditorView): Slice {
  if (view.dragging?.move === true) return slice;
  const taken = new Set<string>();
  view.state.doc.descendants((node) => {
    const key = keyOf(node);
    if (key !== undefined) taken.add(key);
    return !node.isTextblock;
  });
  return new Slice(
    freed(slice.content, (key) => taken.has(key)),
    slice.openStart,
    slice.openEnd,
  );
}

/**
 * Gives each new block a key, and another key to the second part of a block that was divided, so
 * that blocks keep their names from one save to the next. It looks at what changed only.
 */
export function blockKeys(): Plugin {
  return new Plugin({
    appendTransaction(transactions, _before, state) {
      let [from, to] = [Infinity, -1];
      transactions.forEach((transaction, index) => {
        // Others give keys to what they write.
        if (!transaction.docChanged || isRemote(transaction)) return;
        const later = transactions.slice(index + 1);
        const mapped = (at: number, side: number) => later.reduce((position, { mapping }) => mapping.map(position, side), at);
        transaction.mapping.maps.forEach((map, step) => {
          const rest = transaction.mapping.slice(step + 1);
          map.forEach((_oldFrom, _oldTo, start, end) => {
            from = Math.min(from, mapped(rest.map(start, -1), -1));
            to = Math.max(to, mapped(rest.map(end, 1), 1));
          });
        });
      });
      if (to < 0) return null;
      const { doc } = state;
      const used = new Set<string>();
      const found: { at: number; node: Node }[] = [];
      doc.nodesBetween(Math.max(0, from - 1), Math.min(doc.content.size, to + 1), (node, at) => {
        if (hasKey(node)) {
          const key = keyOf(node);
          if (key === undefined || used.has(key)) found.push({ at, node });
          else used.add(key);
        }
        return !node.isTextblock;
      });
      if (found.length === 0) return null;
      const transaction = state.tr;
      for (const { at, node } of found) {
        if (node.type.name === "atom") transaction.setNodeAttribute(at, "json", { ...(node.attrs["json"] as JsonNode), key: newKey() });
        else transaction.setNodeAttribute(at, nameOf(node), newKey());
      }
      return transaction;
    },
  });
}
