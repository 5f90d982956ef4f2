import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

import { Fragment, type Mark, type Node, Slice } from "prosemirror-model";
import { AddMarkStep, canSplit, findWrapping, liftTarget, type Mapping, ReplaceStep, Step, Transform } from "prosemirror-transform";
import { expect, test, vi } from "vitest";

import { decode, encode } from "./codec";
import blocks from "./fixtures/blocks.json";
import others from "./fixtures/others.json";
import type { JsonDocument } from "./document";
import { schema } from "./schema";

/** The fields of new keys by which those who compare documents know them. */
const NEW = [0xfe, 0xed, 0xfe, 0xed];

/** A sequence of random numbers that a seed repeats. */
class Random {
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

function documentOf(random: Random): Node {
  return schema.node("doc", null, Array.from({ length: 1 + random.below(6) }, () => block(random, 0)));
}

/** Makes a random change as an editor does, or one with positions that may not fit. */
function change(tr: Transform, random: Random): void {
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
function changes(doc: Node, random: Random, count: number): Transform {
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

/** Returns the steps for a document after others, as ProseMirror's package for writing together does. */
function rebased(own: Transform, over: Transform): { steps: Step[]; doc: Node } {
  const tr = new Transform(own.doc);
  for (let at = own.steps.length - 1; at >= 0; at -= 1) tr.step((own.steps[at] as Step).invert(own.docs[at] as Node));
  for (const step of over.steps) tr.step(step);
  const steps: Step[] = [];
  own.steps.forEach((step, at) => {
    const mapped = step.map(tr.mapping.slice(own.steps.length - at));
    if (!mapped || tr.maybeStep(mapped).failed) return;
    (tr.mapping as Mapping & { setMirror: (one: number, other: number) => void }).setMirror(own.steps.length - at - 1, tr.steps.length - 1);
    steps.push(mapped);
  });
  return { steps, doc: tr.doc };
}

/** A step with random positions, and whether it fits. */
function stray(doc: Node, random: Random): { step: unknown; doc: unknown } {
  const size = doc.content.size;
  const [a, b, c, d] = Array.from({ length: 4 }, () => random.below(size + 2)).sort((one, other) => one - other) as [number, number, number, number];
  const slice = random.below(4) === 0 ? Slice.empty : doc.slice(Math.min(a, size), Math.min(c, size));
  const step = random.below(3) === 0 ? new AddMarkStep(a, c, schema.mark("bold")) : new ReplaceStep(b, random.below(2) === 0 ? b : Math.min(d, b + 5), slice);
  try {
    return { step: step.toJSON(), doc: step.apply(doc).doc?.toJSON() ?? null };
  } catch {
    return { step: step.toJSON(), doc: null };
  }
}

/** Returns a document of the API, what the editor reads of it, and what it writes after some steps. */
function documentCase(document: JsonDocument, random: Random): object {
  const doc = decode(document);
  const steps = changes(doc, random, 1 + random.below(4)).steps.map((step) => step.toJSON() as unknown);
  // Nodes that another one has sent are not those that were read.
  const after = steps.reduce<Node>((before, step) => Step.fromJSON(schema, step).apply(before).doc as Node, doc);
  return { document, read: doc.toJSON(), steps, written: encode(after, document.data) };
}

/** Returns a document with changes of two people at once, and what ProseMirror makes of them. */
function caseOf(seed: number): object {
  const random = new Random(seed);
  const doc = documentOf(random);
  const [over, own] = [changes(doc, random, 1 + random.below(6)), changes(doc, random, 1 + random.below(6))];
  const after = rebased(own, over);
  return {
    seed,
    doc: doc.toJSON(),
    over: over.steps.map((step) => step.toJSON()),
    overDoc: over.doc.toJSON(),
    own: own.steps.map((step) => step.toJSON()),
    ownDoc: own.doc.toJSON(),
    rebased: after.steps.map((step) => step.toJSON()),
    doc2: after.doc.toJSON(),
    strays: Array.from({ length: 6 }, () => stray(doc, random)),
    api: documentCase(seed % 10 > 1 ? encode(doc) : ((seed % 10 ? blocks : others) as unknown as JsonDocument), random),
  };
}

/** The cases that the tests of the crate `steps` read. */
const KEPT = "../crates/steps/tests/cases.jsonl.gz";

/** Returns the cases of some seeds, one per line. Each makes its own keys. */
function casesOf(first: number, count: number): string {
  let keys = 0;
  vi.spyOn(crypto, "getRandomValues").mockImplementation((bytes) => {
    keys += 1;
    (bytes as Uint8Array).set([...NEW, keys >> 24, keys >> 16, keys >> 8, keys]);
    return bytes;
  });
  return Array.from({ length: count }, (_, index) => {
    keys = 0;
    return `${JSON.stringify(caseOf(first + index))}\n`;
  }).join("");
}

/** A file for cases of other seeds: its path, the first seed and the number of cases. */
const [path, first = "1", count = "1000"] = (process.env["BINDERY_STEP_CASES"] ?? "").split(" ");

// After a change of the schema: BINDERY_STEP_CASES="../crates/steps/tests/cases.jsonl.gz 1 60" npx vitest run src/editor/steps.test.ts
test("the cases for the server are those that ProseMirror makes of their seeds", () => {
  if (path) writeFileSync(path, gzipSync(casesOf(Number(first), Number(count)), { level: 9 }));
  const kept = gunzipSync(readFileSync(KEPT)).toString();
  expect(kept === casesOf(1, kept.split("\n").length - 1)).toBe(true);
}, 600_000);
