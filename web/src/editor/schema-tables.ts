import type { AttributeSpec, DOMOutputSpec, NodeSpec, TagParseRule } from "prosemirror-model";

import type { JsonNode } from "./document";

/** The attributes of a column that are not its id and its title. */
export type ColumnDefinition = Record<string, unknown> & { type: string };

export const TEXT_COLUMN: ColumnDefinition = { type: "text", textAlignment: "left" };

const attribute = { default: null };

/** The attributes by which the commands of tables know how far a cell extends. */
const EXTENT: Record<string, AttributeSpec> = {
  colspan: { default: 1, validate: "number" },
  rowspan: { default: 1, validate: "number" },
  colwidth: attribute,
};

function extentOf(dom: HTMLElement): { colspan: number; rowspan: number } {
  const read = (name: string) => Number(dom.getAttribute(name) || 1);
  return { colspan: read("colspan"), rowspan: read("rowspan") };
}

function parsed(tag: string): TagParseRule[] {
  return [{ tag, getAttrs: extentOf }];
}

function shown(tag: string, { colspan, rowspan }: Record<string, unknown>, attrs: Record<string, string> = {}): DOMOutputSpec {
  const extent = { ...(colspan !== 1 && { colspan: String(colspan) }), ...(rowspan !== 1 && { rowspan: String(rowspan) }) };
  return [tag, { ...extent, ...attrs }, 0];
}

/**
 * Returns the nodes of tables. Each cell knows the column that it belongs to by its place in the
 * row. The commands of tables, which are loaded later, find the nodes by their roles.
 */
export function tableSpecs(kept: NonNullable<NodeSpec["attrs"]>): Record<string, NodeSpec> {
  return {
    table: {
      content: "table_row+",
      tableRole: "table",
      isolating: true,
      group: "block",
      attrs: { ...kept, view: { default: "grid" }, hideHeader: { default: false } },
      parseDOM: [{ tag: "table" }],
      toDOM: (node) => ["table", { "data-view": node.attrs["view"] as string }, ["tbody", 0]],
    },
    table_row: {
      content: "(table_cell | table_header)*",
      tableRole: "row",
      attrs: { record: attribute },
      parseDOM: [{ tag: "tr" }],
      toDOM: () => ["tr", 0],
    },
    table_cell: {
      content: "(block | cell_value)+",
      tableRole: "cell",
      isolating: true,
      attrs: { ...EXTENT, fragment: attribute },
      parseDOM: parsed("td"),
      toDOM: ({ attrs }) => shown("td", attrs),
    },
    table_header: {
      content: "paragraph",
      tableRole: "header_cell",
      isolating: true,
      attrs: { ...EXTENT, column: attribute, definition: { default: TEXT_COLUMN }, isHidden: { default: false } },
      parseDOM: parsed("th"),
      toDOM: ({ attrs }) => shown("th", attrs, attrs["isHidden"] === true ? { "data-hidden": "" } : {}),
    },
    /** A value of a column that does not hold text. */
    cell_value: {
      atom: true,
      selectable: false,
      attrs: { value: { default: null }, definition: { default: TEXT_COLUMN } },
      toDOM: () => ["div", { "data-value": "" }],
    },
  };
}

/** A row of a table in the document model. */
export interface TableRecord {
  orderIndex: string;
  values: Record<string, unknown>;
}

/** The view of a table in the document model. */
export interface TableViewJson extends Record<string, unknown> {
  type?: string;
  columns?: string[];
  hideHeader?: boolean;
}

/** Returns the parts of the data of a table. */
export function tableParts(json: JsonNode): { view: TableViewJson; records: Record<string, TableRecord>; definition: Record<string, ColumnDefinition> } {
  const { view = {}, records = {}, definition = {} } = (json.data ?? {}) as Record<string, never>;
  return { view, records, definition };
}
