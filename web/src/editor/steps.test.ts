import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

import { type Node, Slice } from "prosemirror-model";
import { AddMarkStep, ReplaceStep, Step } from "prosemirror-transform";
import { expect, test, vi } from "vitest";

import { decode, encode } from "./codec";
import blocks from "./fixtures/blocks.json";
import others from "./fixtures/others.json";
import type { JsonDocument } from "./document";
import { changes, documentOf, Random, rebased } from "./random-edits";
import { schema } from "./schema";

/** The fields of new keys by which those who compare documents know them. */
const NEW = [0xfe, 0xed, 0xfe, 0xed];

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
  const after = rebased(own, over.steps);
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
