import type { Node } from "prosemirror-model";

import type { JsonFragment, JsonNode } from "./document";
import { schema } from "./schema";
import { type ColumnDefinition, tableParts, type TableViewJson, TEXT_COLUMN } from "./schema-tables";

/** Returns the table of the editor for one of the API: its columns, the hidden ones last, and its records. */
export function decodeTable(json: JsonNode, attrs: object, blocks: (nodes: JsonNode[]) => Node[]): Node | undefined {
  const { view, records, definition } = tableParts(json);
  const shown = (view.columns ?? []).filter((id) => definition[id] !== undefined);
  const columns = [...shown, ...Object.keys(definition).filter((id) => !shown.includes(id))];
  if (columns.length === 0 || (view.type !== "grid" && view.type !== "cards")) return undefined;
  const fragments = new Map((json.fragments ?? []).map((part) => [part.fragment, part]));
  const header = columns.map((column) => {
    const { id: _id, title, ...own } = definition[column] ?? { type: "text" };
    const text = typeof title === "string" && title !== "" ? schema.text(title) : undefined;
    return schema.node("table_header", { column, definition: own, isHidden: !shown.includes(column) }, schema.node("paragraph", null, text));
  });
  const rows = Object.entries(records).sort(([, a], [, b]) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const body = rows.map(([record, { values }]) => {
    const cells = columns.map((column) => {
      const { id: _id, title: _title, ...own } = definition[column] ?? { type: "text" };
      if (own.type !== "text") return schema.node("table_cell", null, schema.node("cell_value", { value: values[column], definition: own }));
      const fragment = fragments.get(String(values[column])) ?? null;
      return schema.node("table_cell", { fragment }, blocks(fragment?.nodes ?? []));
    });
    return schema.node("table_row", { record }, cells);
  });
  const first = schema.node("table_row", null, header);
  return schema.node("table", { ...attrs, view: view.type, hideHeader: view.hideHeader === true }, [first, ...body]);
}

/** The parts of a writer of documents that tables need. */
interface Names {
  newKey: () => string;
  children: (node: Node) => JsonNode[];
  /** Returns `true` once for each name. */
  isFree: (name: string) => boolean;
}

/** Returns the data and the fragments of a table. */
export function encodeTable(node: Node, before: Record<string, unknown>, names: Names): { data: Record<string, unknown>; fragments: JsonFragment[] } {
  const definition: Record<string, ColumnDefinition & { id: string; title: string }> = {};
  const columns: string[] = [];
  const shown: string[] = [];
  node.child(0).forEach((cell) => {
    // A row of texts is the first one if the row of headers was removed.
    const { column: given = null, definition: own = TEXT_COLUMN } = cell.attrs as { column?: string | null; definition?: ColumnDefinition };
    const id = given !== null && !columns.includes(given) ? given : names.newKey();
    columns.push(id);
    if (cell.attrs["isHidden"] !== true) shown.push(id);
    definition[id] = { ...own, id, title: cell.textContent };
  });
  const records: Record<string, unknown> = {};
  const fragments: JsonFragment[] = [];
  node.forEach((row, _, index) => {
    if (index === 0) return;
    const given = row.attrs["record"] as string | null;
    const record = given !== null && !Object.hasOwn(records, given) ? given : names.newKey();
    const values: Record<string, unknown> = {};
    row.forEach((cell, _, at) => {
      const column = columns[at];
      if (column === undefined) return;
      if (definition[column]?.type !== "text") {
        const value: unknown = cell.firstChild?.attrs["value"];
        if (value !== undefined) values[column] = value;
        return;
      }
      const known = (cell.attrs["fragment"] ?? null) as JsonFragment | null;
      if (known === null && cell.childCount === 1 && cell.firstChild?.type.name === "paragraph" && cell.firstChild.childCount === 0) {
        values[column] = null;
        return;
      }
      const fragment = known?.fragment !== undefined && names.isFree(known.fragment) ? known.fragment : names.newKey();
      values[column] = fragment;
      fragments.push({ object: "fragment", key: names.newKey(), ...known, fragment, nodes: names.children(cell) });
    });
    records[record] = { orderIndex: String(index - 1).padStart(8, "0"), values };
  });
  const view = viewOf((before["view"] ?? {}) as TableViewJson, node, shown, columns);
  return { data: { ...before, view, records, definition }, fragments };
}

function viewOf(before: TableViewJson, node: Node, shown: string[], all: string[]): TableViewJson {
  const type = node.attrs["view"] as string;
  const { type: _type, columns: _columns, hideHeader: _hideHeader, ...own } = before;
  if (type === "grid") return { ...own, type, columns: shown, hideHeader: node.attrs["hideHeader"] === true };
  const kept = Object.entries(own).filter(([name, value]) => !name.endsWith("Definition") && !name.endsWith("DefinitionDark") || all.includes(String(value)));
  return { cardSize: "medium", ...Object.fromEntries(kept), type, columns: shown };
}
