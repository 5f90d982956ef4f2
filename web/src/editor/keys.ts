import {
  baseKeymap,
  chainCommands,
  createParagraphNear,
  exitCode,
  joinBackward,
  joinForward,
  liftEmptyBlock,
  newlineInCode,
  setBlockType,
  splitBlock,
  toggleMark,
} from "prosemirror-commands";
import { redo, undo } from "prosemirror-history";
import { undoInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import type { MarkType, NodeType } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { type Command, NodeSelection, type Plugin, Selection, TextSelection } from "prosemirror-state";

import { type Target, turnInto } from "./convert";
import { deleteBlocks, duplicateBlocks, moveBlocks, selectBlock } from "./ranges";
import { schema } from "./schema";

/** Returns a node type that the schema has. */
export function nodeType(name: string): NodeType {
  const found = schema.nodes[name];
  if (!found) throw new Error(`no node ${name}`);
  return found;
}

/** Returns a mark type that the schema has. */
export function markType(name: string): MarkType {
  const found = schema.marks[name];
  if (!found) throw new Error(`no mark ${name}`);
  return found;
}

const ITEMS = ["list_item", "task_item"].map(nodeType);

/** Runs a command for the kind of list that the selection is in. */
function inList(command: (type: NodeType) => Command): Command {
  return chainCommands(...ITEMS.map(command));
}

const leaveTitle: Command = (state, dispatch) => {
  const { $from } = state.selection;
  if ($from.parent.type.name !== "expandable_title") return false;
  if (dispatch) dispatch(state.tr.setSelection(TextSelection.near(state.doc.resolve($from.after() + 1))).scrollIntoView());
  return true;
};

/** Turns a text back into a plain one at its beginning. */
const plainAtStart: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.parentOffset > 0 || $from.parent.type.name !== "heading") return false;
  return setBlockType(nodeType("paragraph"))(state, dispatch);
};

/** Leaves code after two empty lines at its end. */
const leaveCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const text = $from.parent.textContent;
  if (!empty || !$from.parent.type.spec.code || $from.parentOffset < text.length || !text.endsWith("\n\n")) return false;
  if (!dispatch) return true;
  const transaction = state.tr.delete($from.pos - 2, $from.pos);
  const after = transaction.selection.$from.after();
  transaction.insert(after, nodeType("paragraph").create());
  dispatch(transaction.setSelection(TextSelection.create(transaction.doc, after + 1)).scrollIntoView());
  return true;
};

/** Adds a paragraph below the last block, unless text can go on in that block. */
export const writeBelow: Command = (state, dispatch) => {
  const last = state.doc.lastChild;
  if (!last || last.type.name.endsWith("_list") || (last.isTextblock && !last.type.spec.code)) return false;
  if (!dispatch) return true;
  const end = state.doc.content.size;
  const transaction = state.tr.insert(end, nodeType("paragraph").create());
  dispatch(transaction.setSelection(TextSelection.create(transaction.doc, end + 1)).scrollIntoView());
  return true;
};

/** Leaves code at the end of the page downwards. */
const leaveLastCode: Command = (state, dispatch, view) => {
  const { $from, empty } = state.selection;
  const isLast = $from.depth === 1 && $from.after() === state.doc.content.size;
  if (!empty || !isLast || !$from.parent.type.spec.code || view?.endOfTextblock("down") === false) return false;
  return writeBelow(state, dispatch);
};

/** Takes the first item of a list out of it at its beginning. */
const liftFirstItem: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.parentOffset > 0 || $from.depth < 2 || $from.index(-1) > 0 || !ITEMS.includes($from.node(-1).type)) return false;
  return inList(liftListItem)(state, dispatch);
};

const insertTab: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.type.spec.code) return false;
  if (dispatch) dispatch(state.tr.insertText("  "));
  return true;
};

/** Puts the cursor into a block that is selected as a whole, or below it. */
const enterBlock: Command = (state, dispatch) => {
  const { selection } = state;
  if (!(selection instanceof NodeSelection) || selection.node.isInline) return false;
  if (!dispatch) return true;
  if (!selection.node.isAtom) {
    dispatch(state.tr.setSelection(Selection.near(state.doc.resolve(selection.to - 1), -1)));
    return true;
  }
  const transaction = state.tr.insert(selection.to, nodeType("paragraph").create());
  dispatch(transaction.setSelection(TextSelection.create(transaction.doc, selection.to + 1)).scrollIntoView());
  return true;
};

/** Takes the frame away from an empty text at its beginning. */
const leaveFrame: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  const frame = $from.depth > 1 ? $from.node(-1) : undefined;
  if (!empty || $from.parentOffset > 0 || !frame || $from.index(-1) > 0) return false;
  if (frame.type.name !== "hint" && frame.type.name !== "blockquote" && frame.type.name !== "condition") return false;
  if (dispatch) {
    const at = $from.before(-1);
    const transaction = state.tr.replaceWith(at, $from.after(-1), frame.content);
    dispatch(transaction.setSelection(TextSelection.near(transaction.doc.resolve(at + 1))).scrollIntoView());
  }
  return true;
};

/** The keys of the kinds of blocks. */
const KINDS: Record<string, Target> = {
  "Mod-Alt-0": "paragraph",
  "Mod-Alt-1": "heading1",
  "Mod-Alt-2": "heading2",
  "Mod-Alt-3": "heading3",
  "Mod-Shift-7": "orderedList",
  "Mod-Shift-8": "bulletList",
  "Mod-Shift-9": "taskList",
  "Mod-Shift-.": "quote",
  "Mod-Alt-c": "code",
};

/** Returns the plugins for keys. */
export function keys(): Plugin[] {
  const toggle = (name: string) => toggleMark(markType(name));
  return [
    keymap({
      "Mod-z": undo,
      "Mod-Shift-z": redo,
      "Mod-y": redo,
      "Mod-b": toggle("bold"),
      "Mod-i": toggle("italic"),
      "Mod-e": toggle("code_mark"),
      "Mod-Shift-x": toggle("strikethrough"),
      ...Object.fromEntries(Object.entries(KINDS).map(([key, kind]) => [key, turnInto(kind)])),
      "Alt-Shift-ArrowUp": moveBlocks(-1),
      "Alt-Shift-ArrowDown": moveBlocks(1),
      "Mod-d": duplicateBlocks,
      "Mod-Shift-Backspace": deleteBlocks,
      Escape: selectBlock,
      Enter: chainCommands(
        enterBlock,
        leaveTitle,
        leaveCode,
        newlineInCode,
        inList((type) => splitListItem(type)),
        createParagraphNear,
        liftEmptyBlock,
        splitBlock,
      ),
      "Shift-Enter": (state, dispatch) => {
        if (dispatch) dispatch(state.tr.insertText("\n").scrollIntoView());
        return true;
      },
      "Mod-Enter": exitCode,
      ArrowDown: leaveLastCode,
      Tab: chainCommands(inList(sinkListItem), insertTab),
      "Shift-Tab": inList(liftListItem),
      Backspace: chainCommands(undoInputRule, plainAtStart, leaveFrame, liftFirstItem, joinBackward),
      Delete: joinForward,
    }),
    keymap(baseKeymap),
  ];
}
