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
import { InputRule, inputRules, textblockTypeInputRule, undoInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { keymap } from "prosemirror-keymap";
import type { MarkType, Node, NodeType } from "prosemirror-model";
import { liftListItem, sinkListItem, splitListItem } from "prosemirror-schema-list";
import { type Command, NodeSelection, type Plugin, TextSelection } from "prosemirror-state";
import { goToNextCell } from "prosemirror-tables";

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

/** Returns the range of the block of the text that contains the selection, as a child of its parent. */
export function blockAround(doc: Node, from: number): { start: number; node: Node; depth: number } | undefined {
  const position = doc.resolve(from);
  for (let depth = position.depth; depth > 0; depth -= 1) {
    const parent = position.node(depth - 1).type.name;
    if (parent === "doc" || parent === "column" || parent === "tab" || parent === "step" || parent === "expandable_body" || parent === "hint") {
      return { start: position.before(depth), node: position.node(depth), depth };
    }
  }
  const node = position.nodeAfter;
  return node ? { start: from, node, depth: 1 } : undefined;
}

/** Moves the block of the selection over its neighbour. */
export function moveBlock(direction: -1 | 1): Command {
  return (state, dispatch) => {
    const found = blockAround(state.doc, state.selection.from);
    if (!found) return false;
    const { start, node } = found;
    const at = state.doc.resolve(start);
    const index = at.index() + direction;
    if (index < 0 || index >= at.parent.childCount) return false;
    const neighbour = at.parent.child(index);
    const target = direction < 0 ? start - neighbour.nodeSize : start + neighbour.nodeSize;
    if (dispatch) {
      const offset = state.selection.from - start;
      const transaction = state.tr.delete(start, start + node.nodeSize).insert(target, node);
      const selection = state.selection instanceof NodeSelection ? NodeSelection.create(transaction.doc, target) : TextSelection.near(transaction.doc.resolve(target + offset));
      dispatch(transaction.setSelection(selection).scrollIntoView());
    }
    return true;
  };
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

const insertTab: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.type.spec.code) return false;
  if (dispatch) dispatch(state.tr.insertText("  "));
  return true;
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
      "Mod-Alt-0": setBlockType(nodeType("paragraph")),
      "Mod-Alt-1": setBlockType(nodeType("heading"), { level: 1 }),
      "Mod-Alt-2": setBlockType(nodeType("heading"), { level: 2 }),
      "Mod-Alt-3": setBlockType(nodeType("heading"), { level: 3 }),
      "Alt-Shift-ArrowUp": moveBlock(-1),
      "Alt-Shift-ArrowDown": moveBlock(1),
      Enter: chainCommands(
        leaveTitle,
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
      Tab: chainCommands(goToNextCell(1), inList(sinkListItem), insertTab),
      "Shift-Tab": chainCommands(goToNextCell(-1), inList(liftListItem)),
      Backspace: chainCommands(undoInputRule, plainAtStart, joinBackward),
      Delete: joinForward,
    }),
    keymap(baseKeymap),
  ];
}

/** Returns a rule that gives a text between two signs a mark. */
function markRule(pattern: RegExp, name: string): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const [whole, before = "", text = ""] = match;
    if (!text || whole === undefined) return null;
    const from = start + before.length;
    const transaction = state.tr.delete(from, end).insertText(text, from);
    transaction.addMark(from, from + text.length, markType(name).create());
    return transaction.removeStoredMark(markType(name));
  });
}

/** Returns the plugin for Markdown as it is typed. */
export function rules(): Plugin {
  const heading = nodeType("heading");
  const levels = [
    [/^##? $/, 1],
    [/^### $/, 2],
    [/^#### $/, 3],
  ] as const;
  return inputRules({
    rules: [
      ...levels.map(([pattern, level]) => textblockTypeInputRule(pattern, heading, { level })),
      wrappingInputRule(/^\s*([-+*]) $/, nodeType("bullet_list")),
      wrappingInputRule(/^\[( |x)?\] $/, nodeType("task_list"), null, () => false),
      wrappingInputRule(
        /^(\d+)[.)] $/,
        nodeType("ordered_list"),
        (match) => ({ start: Number(match[1]) === 1 ? null : Number(match[1]) }),
        (match, node) => node.childCount + (Number(node.attrs["start"]) || 1) === Number(match[1]),
      ),
      wrappingInputRule(/^> $/, nodeType("blockquote")),
      textblockTypeInputRule(/^```([\w+#-]*)[ \n]$/, nodeType("code"), (match) => ({ syntax: match[1] ?? "" })),
      new InputRule(/^(?:---|\*\*\*)$/, (state, _match, start) => {
        const at = state.doc.resolve(start);
        return state.tr.replaceRangeWith(at.before(), at.after(), nodeType("divider").create()).insert(at.before() + 1, nodeType("paragraph").create());
      }),
      markRule(/(^|[^*])\*\*([^*\s](?:[^*]*[^*\s])?)\*\*$/, "bold"),
      markRule(/(^|[^*])\*([^*\s](?:[^*]*[^*\s])?)\*$/, "italic"),
      markRule(/(^|[^_\w])_([^_\s](?:[^_]*[^_\s])?)_$/, "italic"),
      markRule(/(^|[^~])~~([^~\s](?:[^~]*[^~\s])?)~~$/, "strikethrough"),
      markRule(/(^|[^`])`([^`]+)`$/, "code_mark"),
    ],
  });
}
