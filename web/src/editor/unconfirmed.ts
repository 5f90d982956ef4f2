import type { Node } from "prosemirror-model";
import { type EditorState, Plugin, PluginKey, type Transaction } from "prosemirror-state";
import { type Mapping, Step } from "prosemirror-transform";
import type { EditorView } from "prosemirror-view";

import { isOnlyPasted } from "./images";
import { schema } from "./schema";
import { branch } from "./undo";

/** A step of this window that the server has not confirmed. */
export interface Unconfirmed {
  step: Step;
  inverted: Step;
  /** The number of the batch in which it was sent. */
  batch?: number;
}

/** Steps that the server accepted. */
export interface Batch {
  version: number;
  client?: string;
  number?: number;
  user?: string;
  steps: readonly object[];
  conflicts?: number;
}

type Steps = readonly Unconfirmed[];

const KEY = new PluginKey<Steps>("unconfirmed");
const NONE: Steps = [];

/** Remembers the steps that the server has not confirmed. */
export function unconfirmedSteps(): Plugin {
  return new Plugin<Steps>({
    key: KEY,
    // The history takes back steps one by one after they were adapted.
    historyPreserveItems: true,
    state: {
      init: () => NONE,
      apply(transaction, known) {
        const next = transaction.getMeta(KEY) as Steps | undefined;
        if (next) return next;
        if (!transaction.docChanged) return known;
        const own = transaction.steps.map((step, at) => ({ step, inverted: step.invert(transaction.docs[at] as Node) }));
        return [...known, ...own];
      },
    },
  });
}

/** Returns the steps that the server has not confirmed. */
export function unconfirmed(state: EditorState): Steps {
  return KEY.getState(state) ?? NONE;
}

/** Returns whether a transaction brings what the server sent. */
export function isRemote(transaction: Transaction): boolean {
  return transaction.getMeta("remote") === true;
}

/**
 * Brings the state of a view up to what the person selected just now. The browser tells of a selection
 * some time after it was made; a change by others that comes before would take it back.
 */
export function settle(view: EditorView): void {
  if (!view.isDestroyed && view.hasFocus() && !view.composing) document.dispatchEvent(new Event("selectionchange"));
}

/** Returns the JSON of a value for the server. Pictures that only the clipboard has get no address before they are files. */
export function toJson(value: { toJSON: () => unknown }): object {
  const clean = (_name: string, part: unknown) => (isOnlyPasted(part) ? { kind: "url", url: "" } : part);
  return JSON.parse(JSON.stringify(value, clean)) as object;
}

const read = new WeakMap<object, Step>();

/** Returns the step of a JSON, which is read once. */
export function stepOf(json: object): Step {
  const known = read.get(json) ?? Step.fromJSON(schema, json);
  read.set(json, known);
  return known;
}

function same(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function setMirror(mapping: Mapping, one: number, other: number): void {
  // ProseMirror's own package for writing together calls it as well.
  (mapping as Mapping & { setMirror: (one: number, other: number) => void }).setMirror(one, other);
}

let readd: typeof import("./rebase").readd | undefined;

/**
 * Loads the program that adapts steps, which the first keys in a text do not need. It is called before
 * steps of others arrive. If that fails, the next call tries again.
 */
export async function loadRebase(): Promise<void> {
  const loaded = await import("./rebase");
  readd = loaded.readd;
  branch.popEvent = loaded.popEvent;
}

// A browser that is offline later has it.
void loadRebase().catch(() => {});

/** Returns a transaction in which steps of others come before some of one's own. The steps that are `lost` are left out. */
function rebased(state: EditorState, own: Steps, over: readonly Step[], lost: (one: Unconfirmed) => boolean): Transaction {
  if (!readd) throw new Error("the program that adapts steps is not loaded");
  const { tr } = state;
  for (let at = own.length - 1; at >= 0; at -= 1) tr.step((own[at] as Unconfirmed).inverted);
  for (const step of over) tr.step(step);
  const kept: Unconfirmed[] = [];
  const first = tr.steps.length;
  const added = readd(
    tr,
    own.map(({ step }) => step),
    (at) => lost(own[at] as Unconfirmed),
  );
  added.steps.forEach((step, at) => {
    if (!step) return;
    const index = first + kept.length;
    setMirror(tr.mapping, own.length - at - 1, index);
    kept.push({ ...(own[at] as Unconfirmed), step, inverted: step.invert(tr.docs[index] as Node) });
  });
  return tr.setMeta(KEY, kept).setMeta("rebased", own.length).setMeta("addToHistory", false).setMeta("remote", true).setMeta("displaced", added.isDisplaced);
}

/** Returns whether others removed the text around something that this person wrote. */
export function isDisplaced(transaction: Transaction): boolean {
  return transaction.getMeta("displaced") === true;
}

/** Returns a transaction that marks steps as sent in a batch. */
export function marked(state: EditorState, batch: number, most: number): { transaction: Transaction; steps: object[] } {
  const known = unconfirmed(state);
  const next = known.map((one, at) => (at < most ? { ...one, batch } : one));
  const steps = next.slice(0, most).map(({ step }) => toJson(step));
  return { transaction: state.tr.setMeta(KEY, next).setMeta("addToHistory", false), steps };
}

/** Returns transactions, each for the state after the one before, that take in what the server accepted. */
export function* received(state: EditorState, client: string, batches: readonly Batch[]): Generator<Transaction, void, EditorState> {
  let now = state;
  let over: Step[] = [];
  for (const batch of batches) {
    if (batch.client !== client) {
      over.push(...batch.steps.map(stepOf));
      continue;
    }
    if (over.length > 0) now = yield rebased(now, unconfirmed(now), over, () => false);
    over = [];
    now = yield confirmed(now, batch);
  }
  if (over.length > 0) yield rebased(now, unconfirmed(now), over, () => false);
}

/** Returns a transaction that confirms a batch of this window. The server may have adapted it differently. */
function confirmed(state: EditorState, { number, steps }: Batch): Transaction {
  const known = unconfirmed(state);
  const isSent = (one: Unconfirmed) => one.batch === number;
  const own = known.filter(isSent);
  const isSame = own.length === steps.length && own.every(({ step }, at) => same(toJson(step), stepOf(steps[at] as object).toJSON() as object));
  if (isSame) return state.tr.setMeta(KEY, known.slice(own.length)).setMeta("addToHistory", false);
  return rebased(state, known, steps.map(stepOf), isSent);
}

/** Returns a transaction that takes back steps of a batch that the server refused. */
export function takenBack(state: EditorState, batch: number): Transaction {
  return rebased(state, unconfirmed(state), [], (one) => one.batch === batch);
}

/** Returns the document without the steps that the server has not confirmed, or with those of a batch alone. */
export function confirmedDoc(state: EditorState, batch?: number): Node {
  const known = unconfirmed(state);
  let { doc } = state;
  for (let at = known.length - 1; at >= 0; at -= 1) {
    const one = known[at] as Unconfirmed;
    if (batch !== undefined && one.batch === batch) break;
    doc = one.inverted.apply(doc).doc ?? doc;
  }
  return doc;
}

/** Marks a transaction after which everything is confirmed. */
export function asConfirmed(transaction: Transaction): Transaction {
  return transaction.setMeta(KEY, NONE).setMeta("addToHistory", false).setMeta("remote", true);
}
