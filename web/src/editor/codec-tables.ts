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

/** The columns of a table that is written. */
class Columns {
  readonly names: string[] = [];
  readonly shown: string[] = [];
  readonly definition: Record<string, ColumnDefinition & { id: string; title: string }> = {};

  add(id: string, own: ColumnDefinition, title: string): void {
    this.names.push(id);
    this.definition[id] = { ...own, id, title };
  }

  addWithoutTitle(own: ColumnDefinition, newKey: () => string): void {
    const id = newKey();
    this.shown.push(id);
    this.add(id, own, "");
  }

  /** Returns whether a cell can be in the column at an index. */
  fits(cell: Node, index: number): boolean {
    const column = this.names[index];
    return column !== undefined && (this.definition[column]?.type === "text") === (valueOf(cell) === undefined);
  }

  /**
   * Returns the index of a column for a cell that has none in its place, since one person added or
   * removed a column while another one added a row. The column is added if there is none from an index on.
   */
  spare(cell: Node, from: number, newKey: () => string): number {
    for (let index = from; index < this.names.length; index += 1) if (this.fits(cell, index)) return index;
    const own = valueOf(cell)?.attrs["definition"] as ColumnDefinition | undefined;
    this.addWithoutTitle(own?.type === "text" ? { type: "number" } : (own ?? TEXT_COLUMN), newKey);
    return this.names.length - 1;
  }
}

/** Returns the value that a cell has instead of a text. */
function valueOf(cell: Node): Node | undefined {
  return cell.childCount === 1 && cell.firstChild?.type.name === "cell_value" ? cell.firstChild : undefined;
}

function isEmpty(cell: Node): boolean {
  const { firstChild } = cell;
  if ((cell.attrs["fragment"] ?? null) !== null || cell.childCount !== 1) return false;
  return firstChild?.type.name === "cell_value" ? (firstChild.attrs["value"] ?? null) === null : firstChild?.type.name === "paragraph" && firstChild.childCount === 0;
}

/** Returns the data and the fragments of a table. */
export function encodeTable(node: Node, before: Record<string, unknown>, names: Names): { data: Record<string, unknown>; fragments: JsonFragment[] } {
  const columns = new Columns();
  node.child(0).forEach((cell) => {
    // A row of texts is the first one if the row of headers was removed.
    const { column: given = null, definition: own = TEXT_COLUMN } = cell.attrs as { column?: string | null; definition?: ColumnDefinition };
    const id = given !== null && !columns.names.includes(given) ? given : names.newKey();
    if (cell.attrs["isHidden"] !== true) columns.shown.push(id);
    columns.add(id, own, cell.textContent);
  });
  const titled = columns.names.length;
  const records: Record<string, unknown> = {};
  const fragments: JsonFragment[] = [];
  node.forEach((row, _, index) => {
    if (index === 0) return;
    const given = row.attrs["record"] as string | null;
    const record = given !== null && !Object.hasOwn(records, given) ? given : names.newKey();
    const values: Record<string, unknown> = {};
    let next = titled;
    row.forEach((cell, _, place) => {
      let at = place;
      if (place >= titled || !columns.fits(cell, place)) {
        if (isEmpty(cell)) return;
        at = columns.spare(cell, next, names.newKey);
        next = at + 1;
      }
      const value = valueOf(cell);
      values[columns.names[at] as string] = value ? (value.attrs["value"] as unknown) : textOf(cell, fragments, names);
    });
    records[record] = { orderIndex: String(index - 1).padStart(8, "0"), values };
  });
  // Two people removed the last two columns at the same time.
  if (columns.names.length === 0) columns.addWithoutTitle(TEXT_COLUMN, names.newKey);
  const view = viewOf((before["view"] ?? {}) as TableViewJson, node, columns.shown, columns.names);
  return { data: { ...before, view, records, definition: columns.definition }, fragments };
}

/** Returns the value of a cell with a text, which becomes a fragment. Its name is the value. */
function textOf(cell: Node, fragments: JsonFragment[], names: Names): string | null {
  if (isEmpty(cell)) return null;
  const known = (cell.attrs["fragment"] ?? null) as JsonFragment | null;
  const fragment = known?.fragment !== undefined && names.isFree(known.fragment) ? known.fragment : names.newKey();
  fragments.push({ object: "fragment", key: names.newKey(), ...known, fragment, nodes: names.children(cell) });
  return fragment;
}

function viewOf(before: TableViewJson, node: Node, shown: string[], all: string[]): TableViewJson {
  const type = node.attrs["view"] as string;
  const { type: _type, columns: _columns, hideHeader: _hideHeader, ...own } = before;
  if (type === "grid") return { ...own, type, columns: shown, hideHeader: node.attrs["hideHeader"] === true };
  const kept = Object.entries(own).filter(([name, value]) => !name.endsWith("Definition") && !name.endsWith("DefinitionDark") || all.includes(String(value)));
  return { cardSize: "medium", ...Object.fromEntries(kept), type, columns: shown };
}
