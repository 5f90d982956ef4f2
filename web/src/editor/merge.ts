import type { JsonDocument, JsonNode } from "./document";

/** The result of a merge: the document, and `true` if both sides changed the same block. */
export interface Merged {
  document: JsonDocument;
  hasConflicts: boolean;
}

/** A document that was saved: as it was sent, and as the server keeps it, with keys of its own. */
export interface Saved {
  sent: JsonDocument;
  kept: JsonDocument;
}

/**
 * Applies the differences between a saved document and `theirs` to `mine`, block by block. A block
 * that both sides changed stays as in `mine`.
 */
export function merge({ sent, kept }: Saved, mine: JsonDocument, theirs: JsonDocument): Merged {
  if (JSON.stringify(kept.nodes) === JSON.stringify(theirs.nodes)) return { document: mine, hasConflicts: false };
  if (sent.nodes.length !== kept.nodes.length) return { document: mine, hasConflicts: true };
  // Blocks have the same order in both forms.
  const names = new Map(sent.nodes.map((node, index) => [node.key ?? "", kept.nodes[index]?.key ?? ""]));
  const keyOf = (node: JsonNode) => names.get(node.key ?? "") ?? node.key ?? "";
  const before = byKey(sent.nodes, keyOf);
  const keptByKey = byKey(kept.nodes, ({ key }) => key ?? "");
  const after = byKey(theirs.nodes, ({ key }) => key ?? "");
  const own = byKey(mine.nodes, keyOf);
  let hasConflicts = false;
  const nodes = mine.nodes.flatMap((node): JsonNode[] => {
    const key = keyOf(node);
    const [old, known, other] = [before.get(key), keptByKey.get(key), after.get(key)];
    if (old === undefined || known === undefined) return [node];
    const isMine = !same(old, node);
    if (other === undefined) {
      hasConflicts ||= isMine;
      return isMine ? [node] : [];
    }
    if (same(known, other)) return [node];
    hasConflicts ||= isMine;
    return [isMine ? node : other];
  });
  theirs.nodes.forEach((node, index) => {
    const key = node.key ?? "";
    if (keptByKey.has(key) || own.has(key)) return;
    const previous = theirs.nodes.slice(0, index).reverse().find((one) => nodes.some((known) => keyOf(known) === one.key));
    const at = previous === undefined ? 0 : nodes.findIndex((known) => keyOf(known) === previous.key) + 1;
    nodes.splice(at, 0, node);
  });
  return { document: { ...mine, nodes }, hasConflicts };
}

function byKey(nodes: JsonNode[], keyOf: (node: JsonNode) => string): Map<string, JsonNode> {
  return new Map(nodes.map((node) => [keyOf(node), node]));
}

function same(one: JsonNode, other: JsonNode): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
