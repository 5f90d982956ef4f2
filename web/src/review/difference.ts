import type { Schemas } from "../api/client";
import type { JsonNode } from "../editor/document";

export type Difference = Schemas["ContentDifference"];
export type Block = Schemas["BlockDifference"];
export type Run = Schemas["TextDifference"];
export type Attribute = Schemas["AttributeDifference"];

/** The part of a comparison that is shown: both versions in one text, or one of them. */
export type Side = "both" | "before" | "after";

/** A row of a comparison: a changed block, or unchanged blocks between two changed ones. */
export type Row = { kind: "changed"; block: Block } | { kind: "same"; nodes: JsonNode[] };

type Entry = Block | JsonNode;

const HIDDEN: Record<Side, ReadonlySet<string>> = {
  both: new Set(),
  before: new Set(["inserted", "moved"]),
  after: new Set(["deleted", "moved-away"]),
};

/** Returns true if a block or a run with this change is part of a version. */
export function isOn(side: Side, change: Block["change"] | Run["change"]): boolean {
  return !HIDDEN[side].has(change);
}

/** Returns the key of an entry in the version before. */
function keyBefore(entry: Entry): string | undefined {
  if (!("change" in entry)) return entry.key;
  return entry.change === "moved" ? undefined : entry.before;
}

/** Returns the changed blocks of a page in the order of its blocks, with the unchanged ones between them. */
export function rowsOf(blocks: readonly Block[], before: readonly JsonNode[], after: readonly JsonNode[]): Row[] {
  const byAfter = new Map(blocks.flatMap((block) => (block.after === undefined ? [] : [[block.after, block] as const])));
  // Each block that is still there begins a group; those that are no longer there join the group of their predecessor.
  const groups: Entry[][] = [[]];
  const groupOf = new Map<Entry, Entry[]>();
  const byBefore = new Map<string, Entry>();
  const add = (entry: Entry, group: Entry[], at: number) => {
    group.splice(at, 0, entry);
    groupOf.set(entry, group);
    const key = keyBefore(entry);
    if (key !== undefined) byBefore.set(key, entry);
  };
  for (const node of after) {
    const group: Entry[] = [];
    groups.push(group);
    add((node.key === undefined ? undefined : byAfter.get(node.key)) ?? node, group, 0);
  }
  const positions = new Map(before.flatMap(({ key }, at) => (key === undefined ? [] : [[key, at] as const])));
  let last: Entry | undefined;
  for (const block of blocks) {
    if (!groupOf.has(block)) {
      const position = block.before === undefined ? undefined : positions.get(block.before);
      let anchor = position === undefined ? last : undefined;
      for (let at = (position ?? 0) - 1; at >= 0 && !anchor; at--) anchor = byBefore.get(before[at]?.key ?? "");
      const group = (anchor && groupOf.get(anchor)) ?? groups[0] ?? [];
      add(block, group, anchor ? group.indexOf(anchor) + 1 : 0);
    }
    last = block;
  }
  return grouped(groups.flat());
}

function grouped(entries: readonly Entry[]): Row[] {
  const rows: Row[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if ("change" in entry) rows.push({ kind: "changed", block: entry });
    else if (last?.kind === "same") last.nodes.push(entry);
    else rows.push({ kind: "same", nodes: [entry] });
  }
  return rows;
}

/** Returns the plain text of a node and of everything in it. */
export function textOf(node: JsonNode): string {
  if (node.leaves) return node.leaves.map(({ text }) => text).join("");
  const parts = [...(node.nodes ?? []), ...(node.fragments ?? [])];
  const isInline = parts.every(({ object }) => object === "text" || object === "inline");
  return parts.map(textOf).filter(Boolean).join(isInline ? "" : " ");
}

/** Returns the nodes of a document by their keys. */
export function byKeys(nodes: readonly JsonNode[]): ReadonlyMap<string, JsonNode> {
  const found = new Map<string, JsonNode>();
  const add = (node: JsonNode) => {
    if (node.key !== undefined) found.set(node.key, node);
    node.nodes?.forEach(add);
    node.fragments?.forEach(add);
  };
  nodes.forEach(add);
  return found;
}

/** Returns the beginning of the text of a changed block, as it is after the change. */
export function excerptOf(block: Block): string {
  const own = (block.text ?? []).filter(({ change }) => change !== "deleted").map(({ text }) => text).join("");
  return (own || (block.parts ?? []).map(excerptOf).filter(Boolean).join(" ")).slice(0, 200);
}

/** Returns the keys of a changed block and of all blocks in it, in both versions. */
export function keysOf(block: Block): string[] {
  const own = [block.before, block.after].filter((key) => key !== undefined);
  return [...own, ...(block.parts ?? []).flatMap(keysOf)];
}

const fingerprints = new WeakMap<Difference, string>();

/** Returns a short text that stays the same while a difference does. */
export function fingerprint(difference: Difference): string {
  const known = fingerprints.get(difference);
  if (known !== undefined) return known;
  let hash = 0x811c9dc5;
  for (const unit of JSON.stringify(difference)) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const print = hash.toString(36);
  fingerprints.set(difference, print);
  return print;
}

/** The columns of a table, and the cells of its rows by columns. */
export interface TableShape {
  columns: { id: string; title: string }[];
  rows: { id: string; cells: Record<string, unknown> }[];
}

/** Returns the columns and the rows of a table block. */
export function tableOf({ data = {} }: JsonNode): TableShape {
  const definition = (data["definition"] ?? {}) as Record<string, { title?: string }>;
  const view = (data["view"] ?? {}) as { columns?: string[] };
  const records = (data["records"] ?? {}) as Record<string, { orderIndex?: string; values?: Record<string, unknown> }>;
  const shown = view.columns ?? Object.keys(definition);
  const columns = shown.map((id) => ({ id, title: definition[id]?.title ?? "" }));
  const rows = Object.entries(records)
    .sort(([, a], [, b]) => (a.orderIndex ?? "").localeCompare(b.orderIndex ?? ""))
    .map(([id, { values = {} }]) => ({ id, cells: values }));
  return { columns, rows };
}

/** Returns the text of a cell: that of its fragment, or its value. */
export function cellText(table: JsonNode, value: unknown): string {
  const fragment = table.fragments?.find((one) => one.fragment === value);
  if (fragment) return textOf(fragment);
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => cellText(table, one)).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
