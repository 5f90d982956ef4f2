import type { NodeSpec } from "prosemirror-model";
import { tableNodes } from "prosemirror-tables";

import type { JsonNode } from "./document";

/** The attributes of a column that are not its id and its title. */
export type ColumnDefinition = Record<string, unknown> & { type: string };

export const TEXT_COLUMN: ColumnDefinition = { type: "text", textAlignment: "left" };

const attribute = { default: null };

/** Returns the nodes of tables. Each cell knows the column that it belongs to by its place in the row. */
export function tableSpecs(kept: NonNullable<NodeSpec["attrs"]>): Record<string, NodeSpec> {
  const made = tableNodes({ tableGroup: "block", cellContent: "(block | cell_value)+", cellAttributes: {} });
  const { table, table_row: row, table_cell: cell, table_header: header } = made;
  return {
    table: {
      ...table,
      attrs: { ...kept, view: { default: "grid" }, hideHeader: { default: false } },
      toDOM: (node) => ["table", { "data-view": node.attrs["view"] as string }, ["tbody", 0]],
    },
    table_row: { ...row, attrs: { record: attribute } },
    table_cell: { ...cell, attrs: { ...cell.attrs, fragment: attribute } },
    table_header: {
      ...header,
      content: "paragraph",
      toDOM: (node) => ["th", node.attrs["isHidden"] === true ? { "data-hidden": "" } : {}, 0],
      attrs: { ...header.attrs, column: attribute, definition: { default: TEXT_COLUMN }, isHidden: { default: false } },
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
