import type { Node } from "prosemirror-model";
import { type Command, Selection } from "prosemirror-state";

import type { Messages } from "../i18n";
import { nodeType } from "./keys";
import { schema } from "./schema";

export type BlockName = keyof Messages["editor"]["slash"];

/** The blocks of the menu, in its order. */
export const BLOCKS: readonly BlockName[] = [
  "paragraph",
  "heading1",
  "heading2",
  "heading3",
  "bulletList",
  "orderedList",
  "taskList",
  "quote",
  "code",
  "hint",
  "warning",
  "table",
  "image",
  "divider",
  "expandable",
  "tabs",
  "stepper",
  "columns",
  "math",
  "embed",
];

function make(name: string, attrs?: Record<string, unknown>, content?: Node | Node[]): Node {
  return nodeType(name).create(attrs, content);
}

function paragraph(): Node {
  return make("paragraph");
}

function atom(type: string, data: Record<string, unknown>): Node {
  return make("atom", { json: { object: "block", type, isVoid: true, data } });
}

function table(): Node {
  const row = (cell: string) =>
    make(
      "table_row",
      undefined,
      [0, 1, 2].map(() => make(cell, undefined, paragraph())),
    );
  return make("table", undefined, [row("table_header"), row("table_cell"), row("table_cell")]);
}

/** Returns a new block without content. */
function newBlock(name: BlockName): Node {
  switch (name) {
    case "heading1":
    case "heading2":
    case "heading3":
      return make("heading", { level: Number(name.slice(-1)) });
    case "bulletList":
      return make("bullet_list", undefined, make("list_item", undefined, paragraph()));
    case "orderedList":
      return make("ordered_list", undefined, make("list_item", undefined, paragraph()));
    case "taskList":
      return make("task_list", undefined, make("task_item", undefined, paragraph()));
    case "quote":
      return make("blockquote", undefined, paragraph());
    case "code":
      return make("code");
    case "hint":
      return make("hint", { style: "info" }, paragraph());
    case "warning":
      return make("hint", { style: "warning" }, paragraph());
    case "table":
      return table();
    case "divider":
      return make("divider");
    case "expandable":
      return make("expandable", undefined, [make("expandable_title"), make("expandable_body", undefined, paragraph())]);
    case "tabs":
      return make(
        "tabs",
        undefined,
        [0, 1].map(() => make("tab", undefined, paragraph())),
      );
    case "stepper":
      return make(
        "stepper",
        undefined,
        [0, 1].map(() => make("step", undefined, [make("heading", { level: 2 }), paragraph()])),
      );
    case "columns":
      return make(
        "columns",
        undefined,
        [0, 1].map(() => make("column", undefined, paragraph())),
      );
    case "math":
      return atom("math", { formula: "" });
    case "embed":
      return atom("embed", { url: "" });
    default:
      return paragraph();
  }
}

/** Replaces the text from `from` to the selection, and the block if nothing else is in it, by a block. */
export function insertBlock(name: BlockName, from: number): Command {
  return (state, dispatch) => {
    if (!dispatch) return true;
    const transaction = state.tr.delete(from, state.selection.from);
    const { $from } = transaction.selection;
    const block = newBlock(name);
    const isEmpty = $from.parent.content.size === 0 && $from.parent.isTextblock;
    const [start, end] = isEmpty ? [$from.before(), $from.after()] : [$from.after(), $from.after()];
    transaction.replaceRangeWith(start, end, block);
    const isLast = start + block.nodeSize >= transaction.doc.content.size;
    if (isLast && !block.isTextblock) transaction.insert(transaction.doc.content.size, schema.node("paragraph"));
    transaction.setSelection(Selection.near(transaction.doc.resolve(Math.min(start + 1, transaction.doc.content.size))));
    dispatch(transaction.scrollIntoView());
    return true;
  };
}
