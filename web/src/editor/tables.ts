import type { Node } from "prosemirror-model";
import { type Command, type EditorState, Selection } from "prosemirror-state";
import { addColumnAfter, isInTable, selectedRect, TableMap } from "prosemirror-tables";

import { newKey } from "./codec";
import type { JsonNode } from "./document";
import { schema } from "./schema";
import { type ColumnDefinition, TEXT_COLUMN } from "./schema-tables";

/** The types of columns that can be chosen. */
export const COLUMN_TYPES = ["text", "number", "checkbox", "rating", "select", "content-ref", "image"] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

const COLORS = ["blue", "green", "orange", "purple", "red", "yellow"];

/** A table that the selection is in. */
export interface TableAt {
  table: Node;
  /** The position of the table. */
  at: number;
  row: number;
  column: number;
}

/** Returns the table that the selection is in. */
export function tableAt(state: EditorState): TableAt | undefined {
  if (!isInTable(state)) return undefined;
  const rect = selectedRect(state);
  return { table: rect.table, at: rect.tableStart - 1, row: rect.top, column: rect.left };
}

/** Returns the definition of a column. */
export function columnOf({ table, column }: TableAt): ColumnDefinition {
  return (table.child(0).maybeChild(column)?.attrs["definition"] as ColumnDefinition | undefined) ?? TEXT_COLUMN;
}

/** Returns an empty cell of a column. */
function cellOf(definition: ColumnDefinition, value: unknown = null): Node {
  const content = definition.type === "text" ? schema.node("paragraph") : schema.node("cell_value", { value, definition });
  return schema.node("table_cell", null, content);
}

function rowOf(table: Node): Node {
  const cells: Node[] = [];
  table.child(0).forEach((header) => cells.push(cellOf(header.attrs["definition"] as ColumnDefinition)));
  return schema.node("table_row", null, cells);
}

/** Adds a row below that of the selection. */
export const addRow: Command = (state, dispatch) => {
  const found = tableAt(state);
  if (!found) return false;
  if (!dispatch) return true;
  let position = found.at + 1;
  for (let index = 0; index <= found.row; index += 1) position += found.table.child(index).nodeSize;
  const transaction = state.tr.insert(position, rowOf(found.table));
  dispatch(transaction.setSelection(Selection.near(transaction.doc.resolve(position + 2))).scrollIntoView());
  return true;
};

function definitionOf(type: ColumnType): ColumnDefinition {
  switch (type) {
    case "text":
      return TEXT_COLUMN;
    case "rating":
      return { type, max: 5 };
    case "select":
      return { type, multiple: false, options: [] };
    default:
      return { type };
  }
}

function valueOf(type: string, text: string): unknown {
  if (type === "checkbox") return /^(true|yes|x|✓)$/i.test(text);
  if (type === "number" || type === "rating") return text === "" || Number.isNaN(Number(text)) ? null : Number(text);
  if (type === "content-ref" || type === "image") return /^https?:/.test(text) ? { kind: "url", url: text } : null;
  return text === "" ? null : [text];
}

function textOfValue(value: unknown, { options }: ColumnDefinition): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) {
    const known = (options ?? []) as { value: string; label: string }[];
    return value.map((one) => known.find((option) => option.value === one)?.label ?? String(one)).join(", ");
  }
  if (typeof value === "object") return String((value as { url?: string }).url ?? "");
  return String(value);
}

/** Returns options for the words of a column. */
function optionsOf(words: string[]) {
  return [...new Set(words.filter(Boolean))].map((label, index) => ({ value: newKey(), label, color: COLORS[index % COLORS.length] ?? "blue" }));
}

function changed(state: EditorState, found: TableAt, definition: ColumnDefinition, valueAt: (cell: Node) => Node) {
  const map = TableMap.get(found.table);
  const transaction = state.tr;
  const start = found.at + 1;
  const headerAt = start + map.positionAt(0, found.column, found.table);
  transaction.setNodeAttribute(headerAt, "definition", definition);
  for (let row = 1; row < map.height; row += 1) {
    const at = start + map.positionAt(row, found.column, found.table);
    const cell = state.doc.nodeAt(at);
    if (cell) transaction.replaceWith(transaction.mapping.map(at), transaction.mapping.map(at + cell.nodeSize), valueAt(cell));
  }
  return transaction;
}

/** Changes the type of the column of the selection. What its cells hold is taken over where it can be. */
export function setColumnType(type: ColumnType): Command {
  return (state, dispatch) => {
    const found = tableAt(state);
    if (!found) return false;
    const before = columnOf(found);
    if (before.type === type) return false;
    const texts = (cell: Node) => {
      const held = cell.firstChild;
      return held?.type.name === "cell_value" ? textOfValue(held.attrs["value"], before) : cell.textContent.trim();
    };
    const words: string[] = [];
    found.table.forEach((row, _, index) => {
      const cell = index > 0 ? row.maybeChild(found.column) : null;
      if (cell) words.push(texts(cell));
    });
    const definition = type === "select" ? { ...definitionOf(type), options: optionsOf(words) } : definitionOf(type);
    const options = (definition["options"] ?? []) as { value: string; label: string }[];
    const transaction = changed(state, found, definition, (cell) => {
      const text = texts(cell);
      if (type === "text") return schema.node("table_cell", null, schema.node("paragraph", null, text ? schema.text(text) : undefined));
      const option = options.find(({ label }) => label === text)?.value;
      return cellOf(definition, type === "select" ? (option ? [option] : null) : valueOf(type, text));
    });
    dispatch?.(transaction);
    return true;
  };
}

/** Gives the column of the selection other options. Cells keep those that remain. */
export function setColumnOptions(labels: string[], isMultiple: boolean): Command {
  return (state, dispatch) => {
    const found = tableAt(state);
    if (!found || columnOf(found).type !== "select") return false;
    const known = (columnOf(found)["options"] ?? []) as { value: string; label: string; color: string }[];
    const options = labels.map((label, index) => known.find((one) => one.label === label) ?? known.filter((one) => !labels.includes(one.label))[index] ?? optionsOf([label])[0]);
    const named = options.map((option, index) => ({ ...option, label: labels[index] ?? "" })) as typeof known;
    const definition = { ...columnOf(found), multiple: isMultiple, options: named };
    const values = new Set(named.map(({ value }) => value));
    const transaction = changed(state, found, definition, (cell) => {
      const value: unknown = cell.firstChild?.attrs["value"];
      const kept = Array.isArray(value) ? value.filter((one) => values.has(String(one))) : [];
      return cellOf(definition, kept.length > 0 ? kept : null);
    });
    dispatch?.(transaction);
    return true;
  };
}

/** Adds a column after that of the selection. */
export const addColumn: Command = addColumnAfter;

/** Shows the records of a table as rows or as cards. */
export function setTableView(view: "grid" | "cards"): Command {
  return (state, dispatch) => {
    const found = tableAt(state);
    if (!found || found.table.attrs["view"] === view) return false;
    dispatch?.(state.tr.setNodeAttribute(found.at, "view", view));
    return true;
  };
}

/** Shows or hides the heads of the columns. */
export const toggleHeader: Command = (state, dispatch) => {
  const found = tableAt(state);
  if (!found) return false;
  dispatch?.(state.tr.setNodeAttribute(found.at, "hideHeader", found.table.attrs["hideHeader"] !== true));
  return true;
};

/** Shows or hides the column of the selection to readers. */
export const toggleColumn: Command = (state, dispatch) => {
  const found = tableAt(state);
  const header = found?.table.child(0).maybeChild(found.column);
  if (!found || !header) return false;
  const at = found.at + 1 + TableMap.get(found.table).positionAt(0, found.column, found.table);
  dispatch?.(state.tr.setNodeAttribute(at, "isHidden", header.attrs["isHidden"] !== true));
  return true;
};

/** Uses the column of the selection as the target or as the cover of cards. */
export function setCardField(name: "targetDefinition" | "coverDefinition"): Command {
  return (state, dispatch) => {
    const found = tableAt(state);
    const header = found?.table.child(0).maybeChild(found.column);
    if (!found || !header) return false;
    if (!dispatch) return true;
    const column = (header.attrs["column"] as string | null) ?? newKey();
    const rest = (found.table.attrs["rest"] ?? { object: "block", type: "table" }) as JsonNode;
    const view = { ...(rest.data?.["view"] as object | undefined), [name]: column };
    const at = found.at + 1 + TableMap.get(found.table).positionAt(0, found.column, found.table);
    dispatch(
      state.tr
        .setNodeAttribute(at, "column", column)
        .setNodeAttribute(at, "isHidden", true)
        .setNodeAttribute(found.at, "rest", { ...rest, data: { ...rest.data, view } }),
    );
    return true;
  };
}

/** Returns a new table with empty cells. */
export function newTable(): Node {
  const header = schema.node("table_row", null, [0, 1, 2].map(() => schema.node("table_header", null, schema.node("paragraph"))));
  const row = () => schema.node("table_row", null, [0, 1, 2].map(() => cellOf(TEXT_COLUMN)));
  return schema.node("table", null, [header, row(), row()]);
}

/** Returns a new table of cards: a title, a text, a target and a cover. */
export function newCards(): Node {
  const columns = [
    { column: newKey(), definition: TEXT_COLUMN, isHidden: false },
    { column: newKey(), definition: TEXT_COLUMN, isHidden: false },
    { column: newKey(), definition: definitionOf("content-ref"), isHidden: true },
    { column: newKey(), definition: definitionOf("image"), isHidden: true },
  ];
  const header = schema.node("table_row", null, columns.map((attrs) => schema.node("table_header", attrs, schema.node("paragraph"))));
  const row = () => schema.node("table_row", null, columns.map(({ definition }) => cellOf(definition)));
  const view = { type: "cards", cardSize: "medium", targetDefinition: columns[2]?.column, coverDefinition: columns[3]?.column };
  const rest = { object: "block", type: "table", isVoid: true, data: { view } };
  return schema.node("table", { rest, view: "cards" }, [header, row(), row(), row()]);
}

/** Returns the labels of the options of a column. */
export function optionLabels(definition: ColumnDefinition): string[] {
  return ((definition["options"] ?? []) as { label: string }[]).map(({ label }) => label);
}
