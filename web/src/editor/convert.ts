import { Fragment, type Node } from "prosemirror-model";
import { type Command, Selection } from "prosemirror-state";

import { keyOf } from "./block-keys";
import { type BlockRange, blockRange, blocksOf } from "./ranges";
import { schema } from "./schema";

/** The blocks that others turn into. */
export const TARGETS = [
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
  "expandable",
] as const;
export type Target = (typeof TARGETS)[number];

const LISTS: Partial<Record<Target, [list: string, item: string]>> = {
  bulletList: ["bullet_list", "list_item"],
  orderedList: ["ordered_list", "list_item"],
  taskList: ["task_list", "task_item"],
};
const FRAMES = new Set(["blockquote", "hint", "condition"]);

function paragraph(content?: Fragment): Node {
  return schema.node("paragraph", null, content);
}

function isList(node: Node): boolean {
  return node.type.name.endsWith("_list");
}

function isItem(node: Node): boolean {
  return node.type.name === "list_item" || node.type.name === "task_item";
}

function children(node: Node): Node[] {
  return Array.from({ length: node.childCount }, (_, index) => node.child(index));
}

/** Returns the texts of blocks without the frames around them. */
function flat(node: Node): Node[] {
  if (isList(node) || isItem(node) || FRAMES.has(node.type.name)) return children(node).flatMap(flat);
  if (node.type.name === "expandable") return [paragraph(node.child(0).content), ...children(node.child(1))];
  if (node.type.name === "code") {
    return node.textContent.split("\n").map((line) => paragraph(line ? Fragment.from(schema.text(line)) : undefined));
  }
  return [node];
}

/** Returns blocks without the frame around them; lists stay lists. */
function unframed(node: Node): Node[] {
  if (isItem(node)) return children(node);
  return FRAMES.has(node.type.name) || node.type.name === "expandable" ? flat(node) : [node];
}

function itemsOf(node: Node, item: string): Node[] {
  if (isList(node)) return children(node).flatMap((child) => itemsOf(child, item));
  if (isItem(node)) return [schema.node(item, { key: keyOf(node) ?? null }, node.content)];
  return flat(node).map((one) => {
    return schema.node(item, null, one.isTextblock ? [paragraph(one.content)] : [paragraph(), one]);
  });
}

function converted(blocks: Node[], target: Target, key: string | undefined): Node[] {
  const attrs = { key: key ?? null };
  const list = LISTS[target];
  if (list) {
    return [schema.node(list[0], attrs, blocks.flatMap((node) => itemsOf(node, list[1])))];
  }
  switch (target) {
    case "quote":
      return [schema.node("blockquote", attrs, blocks.flatMap(unframed))];
    case "hint":
      return [schema.node("hint", attrs, blocks.flatMap(unframed))];
    case "expandable": {
      const [first, ...rest] = blocks.flatMap(unframed);
      const title = first?.isTextblock ? first.content : undefined;
      const body = first && !first.isTextblock ? [first, ...rest] : rest;
      return [
        schema.node("expandable", attrs, [
          schema.node("expandable_title", null, title),
          schema.node("expandable_body", null, body.length > 0 ? body : [paragraph()]),
        ]),
      ];
    }
    case "code": {
      const text = blocks.flatMap(flat).map((node) => node.textContent).join("\n");
      return [schema.node("code", attrs, text ? schema.text(text) : undefined)];
    }
    default: {
      const make = (content: Fragment, first: boolean) => {
        const own = first ? attrs : {};
        return target === "paragraph" ? schema.node("paragraph", own, content) : schema.node("heading", { ...own, level: Number(target.slice(-1)) }, content);
      };
      return blocks.flatMap(flat).map((node, index) => (node.isTextblock ? make(node.content, index === 0) : node));
    }
  }
}

/** Returns the kind that all blocks of a range are of, or undefined. */
export function kindOf(range: BlockRange): Target | undefined {
  const nodes = range.parent.type.name.endsWith("_list") ? [range.parent] : blocksOf(range);
  const kinds = nodes.map(({ type: { name }, attrs }): Target | undefined => {
    if (name === "heading") return `heading${attrs["level"] as 1 | 2 | 3}`;
    const list = TARGETS.find((target) => LISTS[target]?.[0] === name);
    if (list) return list;
    if (name === "blockquote") return "quote";
    return TARGETS.find((target) => target === name);
  });
  return kinds.every((kind) => kind === kinds[0]) ? kinds[0] : undefined;
}

/** Turns the selected blocks into others of the same text. Items of a list leave it. */
export function turnInto(target: Target): Command {
  return (state, dispatch) => {
    const { from, to } = state.selection;
    const range = blockRange(state.doc, from, to);
    if (!range || kindOf(range) === target) return false;
    if (!dispatch) return true;
    const { parent, depth, startIndex, endIndex } = range;
    const blocks = blocksOf(range);
    const next = converted(blocks, target, isList(parent) || !blocks[0] ? undefined : keyOf(blocks[0]));
    const transaction = state.tr;
    let at = range.start;
    if (isList(parent)) {
      const before = parent.copy(Fragment.from(children(parent).slice(0, startIndex)));
      const after = parent.type.create({ ...parent.attrs, key: null, start: null }, children(parent).slice(endIndex));
      const whole = [...(startIndex > 0 ? [before] : []), ...next, ...(endIndex < parent.childCount ? [after] : [])];
      const $start = state.doc.resolve(range.start);
      at = $start.before(depth) + (startIndex > 0 ? before.nodeSize : 0);
      transaction.replaceWith($start.before(depth), $start.after(depth), whole);
    } else {
      transaction.replaceWith(range.start, range.end, next);
    }
    const end = at + next.reduce((size, node) => size + node.nodeSize, 0);
    const kept = Selection.near(transaction.doc.resolve(Math.min(end, transaction.doc.content.size)), -1);
    dispatch(transaction.setSelection(kept).scrollIntoView());
    return true;
  };
}
