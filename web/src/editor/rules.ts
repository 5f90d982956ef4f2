import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from "prosemirror-inputrules";
import { type Plugin, TextSelection } from "prosemirror-state";

import { markType, nodeType } from "./keys";
import { schema } from "./schema";

/** Returns a rule that gives a text between two signs a mark. */
function markRule(pattern: RegExp, name: string): InputRule {
  return new InputRule(pattern, (state, match, start, end) => {
    const [whole, before = "", text = ""] = match;
    if (!text || whole === undefined) return null;
    const from = start + before.length;
    const sign = (whole.length - before.length - text.length) / 2;
    // The last character of the sign is not in the document yet.
    const transaction = state.tr.delete(end - sign + 1, end).delete(from, from + sign);
    transaction.addMark(from, from + text.length, markType(name).create());
    return transaction.removeStoredMark(markType(name));
  });
}

/** Returns a rule for formulas in a text. */
function mathRule(): InputRule {
  return new InputRule(/\$\$([^$\n]+)\$\$$/, (state, match, start, end) => {
    const json = { object: "inline", type: "inline-math", isVoid: true, data: { formula: match[1] } };
    return state.tr.replaceWith(start, end, nodeType("inline_atom").create({ json }));
  });
}

/** Returns a rule for links. */
function linkRule(): InputRule {
  return new InputRule(/\[([^[\]]+)\]\(([^()\s]+)\)$/, (state, match, start, end) => {
    const [, text = "", url = ""] = match;
    const link = markType("link").create({ ref: { kind: "url", url } });
    return state.tr.replaceWith(start, end, schema.text(text, [link])).removeStoredMark(link);
  });
}

/** Returns a rule for tasks, in a text and in a list. */
function taskRule(): InputRule {
  return new InputRule(/^\[( |x)?\] $/, (state, match, start, end) => {
    const transaction = state.tr.delete(start, end);
    const $start = transaction.doc.resolve(start);
    const checked = match[1] === "x";
    const item = $start.depth > 1 ? $start.node(-1) : undefined;
    const list = $start.depth > 2 ? $start.node(-2) : undefined;
    if (item?.type.name === "list_item" && list && $start.index(-1) === 0) {
      const items = list.content.content.map((one, index) => {
        return nodeType("task_item").create({ key: one.attrs["key"] as string | null, checked: checked && index === $start.index(-2) }, one.content);
      });
      const next = nodeType("task_list").create({ key: list.attrs["key"] as string | null }, items);
      transaction.replaceWith($start.before(-2), $start.after(-2), next);
      return transaction.setSelection(TextSelection.create(transaction.doc, start));
    }
    const range = $start.blockRange();
    if (!range || !$start.parent.isTextblock) return null;
    if (!range.parent.canReplaceWith(range.startIndex, range.endIndex, nodeType("task_list"))) return null;
    return transaction.wrap(range, [{ type: nodeType("task_list") }, { type: nodeType("task_item"), attrs: { checked } }]);
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
      taskRule(),
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
      mathRule(),
      linkRule(),
    ],
  });
}
