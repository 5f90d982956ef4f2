import { Fragment, type Mark, type Node } from "prosemirror-model";
import { canSplit, findWrapping, liftTarget, ReplaceStep, type Step, Transform } from "prosemirror-transform";

import { readd } from "./rebase";
import { schema } from "./schema";

/** A sequence of random numbers that a seed repeats. */
export class Random {
  constructor(private state: number) {}

  /** Returns a whole number from 0 up to a limit, which is not reached. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

const WORDS = ["one", "two ", "ärger", "漢字", "x", " — ", "naïve café", "mañana", "кот"];
const MARKS = ["bold", "italic", "code_mark", "superscript", "subscript"];

function marksOf(random: Random): readonly Mark[] {
  if (random.below(3) > 0) return [];
  const link = () => schema.mark("link", { ref: { kind: "url", url: random.of(["https://a.example", "https://b.example"]) }, key: null });
  const mark = random.below(5) === 0 ? link() : schema.mark(random.of(MARKS));
  return mark.addToSet(random.below(3) === 0 ? [schema.mark("italic")] : []);
}

function inline(random: Random): Node[] {
  const nodes = Array.from({ length: random.below(4) }, () => {
    if (random.below(8) === 0) return schema.node("inline_atom", { json: { object: "inline", type: "emoji", data: { code: "1f389" } } }, undefined, marksOf(random));
    return schema.text(random.of(WORDS), marksOf(random));
  });
  return [...(Fragment.fromArray(nodes).content as Node[])];
}

function block(random: Random, depth: number): Node {
  const key = random.below(2) === 0 ? null : random.of(["a", "b", "c"]);
  const inner = () => Array.from({ length: 1 + random.below(2) }, () => block(random, depth + 1));
  const text = () => schema.node("paragraph", { key }, inline(random));
  switch (depth > 2 ? random.below(4) : random.below(14)) {
    case 0:
      return schema.node("heading", { key, level: 1 + random.below(3) }, inline(random));
    case 1:
      return schema.node("code", { key, syntax: "js" }, random.below(3) > 0 ? schema.text("let a;\nb") : undefined);
    case 2:
      return random.below(2) === 0 ? schema.node("divider", { key }) : schema.node("atom", { json: { object: "block", type: "embed", data: { url: "https://a.example" } } });
    case 4:
      return schema.node("bullet_list", { key }, [schema.node("list_item", null, [text(), ...(random.below(2) ? inner() : [])]), schema.node("list_item", null, [text()])]);
    case 5:
      return schema.node("ordered_list", { start: 3 }, [schema.node("list_item", null, [text()])]);
    case 6:
      return schema.node("task_list", null, [schema.node("task_item", { checked: random.below(2) === 0 }, [text()])]);
    case 7:
      return schema.node(random.of(["blockquote", "hint", "condition"]), null, inner());
    case 8:
      return schema.node("expandable", null, [schema.node("expandable_title", null, inline(random)), schema.node("expandable_body", null, inner())]);
    case 9:
      return schema.node("tabs", null, [schema.node("tab", { title: "A" }, inner()), schema.node("tab", { title: "B" }, inner())]);
    case 10:
      return schema.node("columns", null, [schema.node("column", null, inner())]);
    case 11: {
      const header = schema.node("table_row", null, ["a", "b"].map((column) => schema.node("table_header", { column }, text())));
      const row = () => schema.node("table_row", { record: random.of(["r", "s"]) }, [schema.node("table_cell", null, inner()), schema.node("table_cell", null, schema.node("cell_value", { value: random.below(9) }))]);
      return schema.node("table", null, [header, row(), row()]);
    }
    default:
      return text();
  }
}

export function documentOf(random: Random): Node {
  return schema.node("doc", null, Array.from({ length: 1 + random.below(6) }, () => block(random, 0)));
}

/** Makes a random change as an editor does, or one with positions that may not fit. */
export function change(tr: Transform, random: Random): void {
  const { doc } = tr;
  const at = () => random.below(doc.content.size + 1);
  const [a, b, c, d] = [at(), at(), at(), at()];
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  const $from = doc.resolve(from);
  const near = doc.resolve(Math.min(to, from + 12));
  const range = $from.blockRange(near);
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
      if ($from.parent.inlineContent) tr.insert(from, schema.text(random.of(WORDS), $from.parent.type.spec.code ? [] : marksOf(random)));
      return;
    case 3:
      tr.delete(from, near.pos);
      return;
    case 4:
      if (canSplit(doc, from)) tr.split(from);
      return;
    case 5: {
      const target = range && liftTarget(range);
      if (range && target !== null && target !== undefined) tr.lift(range, target);
      return;
    }
    case 6: {
      const type = schema.nodes[random.of(["blockquote", "bullet_list", "hint", "task_list"])];
      const wrapping = range && type && findWrapping(range, type);
      if (range && wrapping) tr.wrap(range, wrapping);
      return;
    }
    case 7:
      tr.addMark(from, near.pos, schema.mark(random.of(MARKS)));
      return;
    case 8:
      tr.removeMark(from, to, random.below(2) === 0 ? null : schema.mark(random.of(MARKS)));
      return;
    case 9:
      tr.replace(from, near.pos, doc.slice(Math.min(c, d), Math.max(c, d)));
      return;
    case 10: {
      const node = doc.nodeAt(from);
      if (node && !node.isText && node.type.spec.attrs?.["key"]) tr.setNodeAttribute(from, "key", random.of(["x", "y"]));
      return;
    }
    case 11: {
      const type = schema.nodes[random.of(["paragraph", "heading", "code"])];
      if (type) tr.setBlockType(from, near.pos, type);
      return;
    }
    case 12:
      tr.maybeStep(new ReplaceStep(from, near.pos, doc.slice(Math.min(c, d), Math.min(Math.max(c, d), Math.min(c, d) + 20)), random.below(4) === 0));
      return;
    default: {
      // A block is moved, as it is dragged.
      const index = random.below(doc.childCount);
      let start = 0;
      for (let before = 0; before < index; before += 1) start += doc.child(before).nodeSize;
      const moved = doc.child(index);
      if (doc.childCount > 1) tr.delete(start, start + moved.nodeSize).insert(random.below(2) === 0 ? 0 : tr.doc.content.size, moved);
    }
  }
}

/** Makes some changes. Those that ProseMirror refuses, or after which it has a document that its schema forbids, are left out. */
export function changes(doc: Node, random: Random, count: number): Transform {
  const tr = new Transform(doc);
  for (let at = 0; at < count; at += 1) {
    const tried = new Transform(tr.doc);
    try {
      change(tried, random);
      for (const one of [...tried.docs, tried.doc]) one.check();
    } catch {
      continue;
    }
    for (const step of tried.steps) tr.step(step);
  }
  return tr;
}

/** Returns the steps for a document after others. */
export function rebased(own: { doc: Node; docs: readonly Node[]; steps: readonly Step[] }, over: readonly Step[]): { steps: Step[]; doc: Node } {
  const tr = new Transform(own.doc);
  for (let at = own.steps.length - 1; at >= 0; at -= 1) tr.step((own.steps[at] as Step).invert(own.docs[at] as Node));
  for (const step of over) tr.step(step);
  const steps = readd(tr, own.steps).steps.filter((step) => step !== undefined);
  return { steps, doc: tr.doc };
}
