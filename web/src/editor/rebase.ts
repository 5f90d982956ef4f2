import { Fragment, type Node, Slice } from "prosemirror-model";
import type { SelectionBookmark } from "prosemirror-state";
import { Mapping, ReplaceStep, type Step, StepMap, type Transform } from "prosemirror-transform";

import type { Branch, Item, Items } from "./undo";

/** Maximum number of positions that are looked up for one step. Longer removals remove what others inserted as well. */
const MAX_LOOKUPS = 4_000_000;

type Range = [from: number, to: number];

/**
 * Adds steps to a transform that begins with their inverses, after which steps of others follow. As
 * on the server, what one person writes stays where another one removed the text around it. Returns
 * what became of each step, `undefined` for those that do not fit any more, and whether the text around
 * one is gone.
 */
export function readd(tr: Transform, own: readonly Step[], isLost: (at: number) => boolean = () => false): { steps: (Step | undefined)[]; isDisplaced: boolean } {
  let isDisplaced = false;
  // Steps of marks and attributes move nothing. Without their maps, thousands of them cost no time.
  const mapping = new Mapping();
  /** For the inverse of each step, the number of maps up to it. */
  const behind: number[] = [];
  tr.mapping.maps.forEach((map, at) => {
    if (map !== StepMap.empty) mapping.appendMap(map);
    if (at < own.length) behind[own.length - at - 1] = mapping.maps.length;
  });
  /** The position behind the paragraph that the step before made for its text. */
  let ownParagraph: number | undefined;

  const isAdded = (step: Step) => {
    if (!applied(tr.doc, step)) return false;
    tr.step(step);
    return true;
  };

  /** Returns the first of some insertions that fits, and where it is. */
  const insert = (slice: Slice, places: number[]): ReplaceStep | undefined => {
    for (const at of places) {
      const step = new ReplaceStep(at, at, slice);
      if (isAdded(step)) return step;
    }
    return undefined;
  };

  /** Inserts what a step inserts into a range that others removed. Text comes into a paragraph if the one around it is gone. */
  const inserted = ({ from, slice }: ReplaceStep, over: Mapping): Step | undefined => {
    const { content, size } = slice;
    if (!hasLeaf(content)) return undefined;
    const at = over.map(from);
    const isInline = content.firstChild?.isInline === true;
    const follows = isInline && ownParagraph === at;
    ownParagraph = undefined;
    const added = follows && insert(slice, [at - 1]);
    if (added) {
      ownParagraph = at + size;
      return added;
    }
    const step = insert(slice, [at]);
    if (step) return step;
    const blocks = isInline ? Fragment.from(tr.doc.type.schema.node("paragraph", null, content)) : content;
    if (at > tr.doc.content.size || !isValid(blocks)) return undefined;
    const $at = tr.doc.resolve(at);
    const around = Array.from({ length: $at.depth }, (_, up) => $at.after($at.depth - up));
    const made = insert(new Slice(blocks, 0, 0), [at, ...around]);
    ownParagraph = made && isInline ? made.from + blocks.size : undefined;
    return made;
  };

  const steps = own.map((step, at) => {
    if (isLost(at)) return undefined;
    const over = mapping.slice(behind[at]);
    const fitting = mapped(step, over, tr.doc);
    const isFitting = fitting !== undefined && isAdded(fitting);
    if (isFitting) ownParagraph = undefined;
    const made = isFitting ? fitting : step instanceof ReplaceStep ? inserted(step, over) : undefined;
    if (!made) return undefined;
    isDisplaced ||= !isFitting;
    const isSame = !(made instanceof ReplaceStep && step instanceof ReplaceStep) || made.slice.eq(step.slice);
    const map = made.getMap();
    // A position in what the step inserts is found again if the step still inserts the same.
    if (map !== StepMap.empty) mapping.appendMap(map, isSame ? (behind[at] as number) - 1 : undefined);
    return made;
  });
  return { steps, isDisplaced };
}

/**
 * Takes back the last event of a branch of the history. Other than that of the history itself, it
 * keeps what others wrote in the range of a step, such as a paragraph between the two parts of a
 * divided one.
 */
export const popEvent: Branch["popEvent"] = function (state) {
  if (this.eventCount === 0) return null;
  const { items } = this;
  let end = items.length - 1;
  while (!items.get(end).selection) end -= 1;
  const mapping = this.remapping(end, items.length);
  const transform = state.tr;
  const entry = items.get(end).constructor as new (map: StepMap, step?: Step, selection?: SelectionBookmark, mirrorOffset?: number) => Item;
  const [before, after]: [Item[], Item[]] = [[], []];
  for (let at = items.length - 1; at >= end; at -= 1) {
    const item = items.get(at);
    const mirror = at - end;
    before.push(item.step ? new entry(item.map) : item);
    if (!item.step) continue;
    const step = mapped(item.step, mapping.slice(mirror + 1), transform.doc);
    if (!step || !applied(transform.doc, step)) continue;
    transform.step(step);
    const map = step.getMap();
    // Other content than before has no positions that were in it before.
    const isSame = !(step instanceof ReplaceStep && item.step instanceof ReplaceStep) || step.slice.eq(item.step.slice);
    after.push(new entry(map, undefined, undefined, isSame ? after.length + before.length : undefined));
    mapping.appendMap(map, isSame ? mirror : undefined);
  }
  const kept = items.slice(0, end).append([...before.reverse(), ...after]);
  const remaining = new (this.constructor as new (items: Items, eventCount: number) => Branch)(kept, this.eventCount - 1);
  const selection = (items.get(end).selection as SelectionBookmark).map(mapping.slice(0));
  return { remaining, transform, selection };
};

/** Returns the document after a step, if the step fits. */
function applied(doc: Node, step: Step): Node | undefined {
  try {
    return step.apply(doc).doc ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns a step after others, which keeps what these inserted in the range that it replaces. */
function mapped(step: Step, over: Mapping, doc: Node): Step | undefined {
  const found = step.map(over);
  if (!found || !(step instanceof ReplaceStep) || !(found instanceof ReplaceStep)) return found ?? undefined;
  const { from, to, slice } = found;
  if (step.from === step.to) {
    // The two sides of an insertion can be mapped to different places.
    return from === to ? found : new ReplaceStep(from, from, slice, (found as ReplaceStep & { structure: boolean }).structure);
  }
  if ((step.to - step.from) * over.maps.length > MAX_LOOKUPS) return found;
  const seen = present([step.from, step.to], over);
  const [first, last] = [seen[0], seen.at(-1)];
  if (!first || !last) return undefined;
  if (seen.length === 1 && first[0] === from && first[1] === to) return found;
  const [start, end] = [Math.min(first[0], from), Math.max(last[1], to)];
  const withSlice = applied(doc, new ReplaceStep(from, from, slice));
  if (!withSlice) return undefined;
  let without = withSlice;
  for (const [begin, close] of seen.reverse()) {
    without = removed(without, Math.max(begin, from) + slice.size, close + slice.size);
    without = removed(without, begin, Math.min(close, from));
  }
  return new ReplaceStep(start, end, without.slice(start, without.content.size - (doc.content.size - end)));
}

/** Returns the ranges in which the content of a range is now, without what others removed of it and inserted between. */
function present([from, to]: Range, over: Mapping): Range[] {
  const found: Range[] = [];
  for (let at = from; at < to; at += 1) {
    const { pos, deletedAfter } = over.mapResult(at);
    const end = over.map(at + 1, -1);
    if (deletedAfter || end !== pos + 1) continue;
    const last = found.at(-1);
    if (last?.[1] === pos) last[1] = end;
    else found.push([pos, end]);
  }
  // What this person inserted themselves can have another place among the rest.
  return found.sort(([one], [other]) => one - other);
}

/** Returns a document without what is between two positions, as far as its schema permits. */
function removed(doc: Node, from: number, to: number): Node {
  if (from >= to || to > doc.content.size) return doc;
  const next = applied(doc, new ReplaceStep(from, to, Slice.empty));
  if (next) return next;
  const [$from, $to] = [doc.resolve(from), doc.resolve(to)];
  // One end is deeper in the document: its node stays, without the content.
  if ($to.depth > $from.depth) return removed(removed(doc, $to.start(), to), from, $to.start() - 1);
  if ($from.depth > $to.depth) return removed(removed(doc, $from.end() + 1, to), from, $from.end());
  return doc;
}

function hasLeaf(content: Fragment): boolean {
  let isFound = false;
  content.descendants((node) => {
    isFound ||= node.isLeaf;
    return !isFound;
  });
  return isFound;
}

function isValid(content: Fragment): boolean {
  return content.content.every((node) => {
    try {
      node.check();
      return true;
    } catch {
      return false;
    }
  });
}
