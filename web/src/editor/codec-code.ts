import type { JsonNode } from "./document";

/** Returns the text of a line of code, or undefined if it holds more than text. */
export function lineText(line: JsonNode): string | undefined {
  const nodes = line.nodes ?? [];
  if (!nodes.every(({ object, leaves = [] }) => object === "text" && leaves.every(({ marks }) => marks.length === 0))) return undefined;
  return nodes.flatMap(({ leaves = [] }) => leaves.map(({ text }) => text)).join("");
}

/**
 * Returns the lines of a text. The lines around the change are those that were read; as many lines
 * as before keep what they are besides their texts, such as highlighted.
 */
export function linesOf(text: string, before: readonly JsonNode[], make: (text: string) => JsonNode): JsonNode[] {
  const texts = text.split("\n");
  let start = 0;
  while (start < texts.length && start < before.length && lineText(before[start] as JsonNode) === texts[start]) start += 1;
  let end = 0;
  const most = Math.min(texts.length, before.length) - start;
  while (end < most && lineText(before[before.length - 1 - end] as JsonNode) === texts[texts.length - 1 - end]) end += 1;
  const isSameCount = texts.length === before.length;
  return texts.map((line, index) => {
    if (index < start) return before[index] as JsonNode;
    const fromEnd = texts.length - index;
    if (fromEnd <= end) return before[before.length - fromEnd] as JsonNode;
    const made = make(line);
    const old = isSameCount ? before[index] : undefined;
    return old ? { ...old, nodes: made.nodes ?? [] } : made;
  });
}
