import type { Node } from "prosemirror-model";
import { type Command, NodeSelection, Selection, TextSelection, type Transaction } from "prosemirror-state";

import type { Messages } from "../i18n";
import type { PartKind } from "../openapi/parts";
import { imagesOf } from "./images";
import { schema } from "./schema";
import { newCards, newTable } from "./tables";

export type BlockName = keyof Messages["editor"]["slash"];

/** The blocks of the menu in its order, with what can be typed instead. */
export const BLOCKS: readonly (readonly [name: BlockName, typed?: string])[] = [
  ["paragraph"],
  ["heading1", "#"],
  ["heading2", "###"],
  ["heading3", "####"],
  ["bulletList", "-"],
  ["orderedList", "1."],
  ["taskList", "[]"],
  ["quote", ">"],
  ["code", "```"],
  ["hint"],
  ["success"],
  ["warning"],
  ["danger"],
  ["table"],
  ["cards"],
  ["image"],
  ["file"],
  ["divider", "---"],
  ["expandable"],
  ["tabs"],
  ["stepper"],
  ["columns"],
  ["pageLink"],
  ["embed"],
  ["apiOperation"],
  ["apiWebhook"],
  ["apiModels"],
  ["math"],
  ["inlineMath", "$$x$$"],
  ["emoji", ":"],
  ["mention", "@"],
  ["condition"],
  ["expression"],
];

const HINTS: Partial<Record<BlockName, string>> = { hint: "info", success: "success", warning: "warning", danger: "danger" };
const INLINE: Partial<Record<BlockName, [type: string, data: Record<string, unknown>]>> = {
  inlineMath: ["inline-math", { formula: "" }],
  expression: ["expression", { expression: "" }],
};
/** Names for which parts of a specification are chosen before there is a block. */
export const API_PARTS: Partial<Record<BlockName, PartKind>> = { apiOperation: "operation", apiWebhook: "webhook", apiModels: "model" };
/** Names whose menu follows the sign that is typed for them. */
const SIGNS: Partial<Record<BlockName, string>> = { emoji: ":", mention: "@" };

function make(name: string, attrs?: Record<string, unknown>, content?: Node | Node[]): Node {
  return schema.node(name, attrs, content);
}

function paragraph(): Node {
  return make("paragraph");
}

function atom(type: string, data: Record<string, unknown>): Node {
  return make("atom", { json: { object: "block", type, isVoid: true, data } });
}

function two(part: string, content: () => Node[]): Node[] {
  return [make(part, undefined, content()), make(part, undefined, content())];
}

/** Returns a new block without content. */
function newBlock(name: BlockName): Node {
  const style = HINTS[name];
  if (style !== undefined) return make("hint", { style }, paragraph());
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
    case "table":
      return newTable();
    case "cards":
      return newCards();
    case "image":
      return make("atom", { json: imagesOf(undefined) });
    case "file":
      return atom("file", {});
    case "pageLink":
      return atom("content-ref", {});
    case "divider":
      return make("divider");
    case "expandable":
      return make("expandable", undefined, [make("expandable_title"), make("expandable_body", undefined, paragraph())]);
    case "condition":
      return make("condition", undefined, paragraph());
    case "tabs":
      return make("tabs", undefined, two("tab", () => [paragraph()]));
    case "stepper":
      return make("stepper", undefined, two("step", () => [make("heading", { level: 2 }), paragraph()]));
    case "columns":
      return make("columns", undefined, two("column", () => [paragraph()]));
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
    const sign = SIGNS[name];
    if (sign !== undefined) {
      dispatch(transaction.insertText(sign, from).scrollIntoView());
      return true;
    }
    const inline = INLINE[name];
    if (inline) {
      const node = make("inline_atom", { json: { object: "inline", type: inline[0], isVoid: true, data: inline[1] } });
      transaction.insert(from, node);
      dispatch(transaction.setSelection(NodeSelection.create(transaction.doc, from)).scrollIntoView());
      return true;
    }
    dispatch(placeBlock(transaction, newBlock(name)).scrollIntoView());
    return true;
  };
}

/** Puts a block in the place of the empty text of the selection, or below its text. */
export function placeBlock(transaction: Transaction, block: Node): Transaction {
  const { $from } = transaction.selection;
  const isEmpty = $from.parent.content.size === 0 && $from.parent.isTextblock;
  const [start, end] = isEmpty ? [$from.before(), $from.after()] : [$from.after(), $from.after()];
  // A list takes the place of the text only where its parent permits a list first.
  const depth = $from.depth - 1;
  const canReplace = $from.node(depth).canReplaceWith($from.index(depth), $from.indexAfter(depth), block.type);
  const at = isEmpty && !canReplace ? end : start;
  transaction.replaceWith(at, Math.max(at, end), block);
  const after = at + block.nodeSize;
  if (!block.isTextblock && after >= transaction.doc.content.size) transaction.insert(after, paragraph());
  if (block.isAtom && block.type.name === "atom") return transaction.setSelection(NodeSelection.create(transaction.doc, at));
  if (block.isLeaf) return transaction.setSelection(Selection.near(transaction.doc.resolve(after)));
  return transaction.setSelection(TextSelection.near(transaction.doc.resolve(at + 1)));
}
