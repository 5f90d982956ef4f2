import { StepMap } from "prosemirror-transform";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Positions } from "./positions";
import { type Decision, type Mark, mapped, type Shown, shownText, type Suggestion, SuggestionList } from "./suggestion-list";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const insertion = (at: number, size: number) => new StepMap([at, 0, size]);

function suggestion(id: string, from: number, to: number, version?: number): Suggestion {
  const author = { id: "ann", displayName: "Ann" };
  const suggested = { session: "own", from: from + 1, to: to + 1, version: 3 };
  return { id, author, kind: "replace", before: "old", after: "new", from, to, suggested, ...(version !== undefined && { version }) };
}

function begin(items: Suggestion[], isOwn = false) {
  const state = {
    items,
    isBusy: false,
    failure: undefined as Error | undefined,
    shown: undefined as Shown | undefined,
    marks: [] as readonly Mark[],
    reads: 0,
    gone: [] as string[],
    decided: [] as [Decision, readonly string[]][],
    failed: [] as unknown[],
  };
  const positions = new Positions(() => []);
  positions.begin("own", 3);
  const list = new SuggestionList({
    isOwn,
    positions,
    isBusy: () => state.isBusy,
    read: async () => {
      state.reads += 1;
      const { items: found } = state;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return found;
    },
    decide: (decision, ids) => {
      state.decided.push([decision, ids]);
      if (state.failure) return Promise.reject(state.failure);
      state.items = state.items.filter(({ id }) => !ids.includes(id));
      return Promise.resolve();
    },
    onShow: (shown) => (state.shown = shown),
    onPlace: (marks) => (state.marks = marks),
    onGo: (id) => state.gone.push(id),
    onDecided: () => {},
    onFailed: (error) => state.failed.push(error),
  });
  const read = async () => {
    list.changed();
    await vi.runAllTimersAsync();
  };
  const ids = () => state.shown?.items.map(({ id }) => id).join("");
  const current = () => state.shown?.current?.id;
  const spans = () => state.marks.map(({ from, to }) => [from, to]);
  return { list, positions, state, read, ids, current, spans };
}

const three = () => [suggestion("a", 1, 4, 3), suggestion("b", 10, 14, 3), suggestion("c", 20, 20, 3)];

const ENDS: [string, { from: number; to: number }, StepMap, boolean, [number, number]][] = [
  ["text of others at the ends of a range is outside", { from: 5, to: 8 }, insertion(5, 2), false, [7, 10]],
  ["text of others at the ends of a range is outside", { from: 5, to: 8 }, insertion(8, 2), false, [5, 8]],
  ["a place stays behind what is written there", { from: 5, to: 5 }, insertion(5, 2), false, [7, 7]],
  ["one's own text at the ends of a range is inside", { from: 5, to: 8 }, insertion(5, 2), true, [5, 10]],
  ["one's own text at the ends of a range is inside", { from: 5, to: 8 }, insertion(8, 2), true, [5, 10]],
  ["a range that was deleted is a place", { from: 5, to: 8 }, new StepMap([4, 6, 0]), false, [4, 4]],
];
it.each(ENDS)("%s", (_name, span, map, isOwn, [from, to]) => {
  expect(mapped(span, (at, side) => map.map(at, side), isOwn)).toEqual({ from, to });
});

it.each([["words", "words"], ["\n\nA\nB\n", "A\nB"], ["\n", "↵"], ["", ""]])("shows %j as %j", (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

it("places suggestions where their text is by now", async () => {
  const { positions, read, spans } = begin(three());
  positions.moved([insertion(0, 100)]);
  await read();
  expect(spans()).toEqual([[101, 104], [110, 114], [120, 120]]);
});

it("waits for the version to which suggestions belong", async () => {
  const { list, positions, read, ids, spans } = begin([suggestion("a", 1, 4, 4)]);
  await read();
  expect(ids()).toBeUndefined();
  positions.moved([insertion(0, 100)]);
  list.moved();
  expect([ids(), spans()]).toEqual(["a", [[1, 4]]]);
});

it("reads once more if a version is not remembered", async () => {
  const { read, state, ids, spans } = begin([suggestion("a", 1, 4, 2)]);
  await read();
  expect([state.reads, ids(), spans()]).toEqual([2, "a", []]);
});

it("shows one's own suggestions at their places in the copy", async () => {
  const { read, ids, spans } = begin([...three(), { ...suggestion("d", 30, 34, 3), suggested: { session: "other", from: 30, to: 34, version: 3 } }], true);
  await read();
  expect([ids(), spans()]).toEqual(["abc", [[2, 5], [11, 15], [21, 21]]]);
});

it("collects news, and waits while an input method composes", async () => {
  const { list, state } = begin(three());
  for (let times = 0; times < 5; times += 1) list.changed();
  state.isBusy = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.reads).toBe(0);
  state.isBusy = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(state.reads).toBe(1);
});

it("goes from one suggestion to the next, and round", async () => {
  const { list, state, read, current } = begin(three());
  await read();
  expect(current()).toBeUndefined();
  const steps = ([1, 1, 1, 1, -1, -1] as const).map((by) => {
    list.step(by);
    return current();
  });
  expect(steps.join("")).toBe("abcacb");
  expect(state.gone.join("")).toBe("abcacb");
});

it("goes on with the next suggestion after a decision", async () => {
  const { list, state, read, ids, current } = begin(three());
  await read();
  list.choose("b");
  await list.decide("accept", ["b"]);
  expect([ids(), current()]).toEqual(["ac", "c"]);
  await list.decide("refuse", ["c"]);
  expect([ids(), current()]).toEqual(["a", "a"]);
  await list.decideAll("accept");
  expect([ids(), current()]).toEqual(["", undefined]);
  await vi.runAllTimersAsync();
  expect(ids()).toBe("");
  expect(state.decided).toEqual([["accept", ["b"]], ["refuse", ["c"]], ["accept", ["a"]]]);
});

it("leaves out an answer that is older than a decision", async () => {
  const { list, state, read, ids } = begin(three());
  await read();
  list.changed();
  await vi.advanceTimersByTimeAsync(160);
  expect(state.reads).toBe(2);
  await list.decide("accept", ["a"]);
  await vi.advanceTimersByTimeAsync(60);
  expect(ids()).toBe("bc");
});

it("shows a suggestion again if the decision failed", async () => {
  const { list, state, read, ids } = begin(three());
  await read();
  state.failure = new Error("changed");
  await list.decide("accept", ["a"]);
  expect([ids(), state.failed]).toEqual(["bc", [state.failure]]);
  await vi.runAllTimersAsync();
  expect(ids()).toBe("abc");
});

it("keeps the place of the current suggestion when it is gone", async () => {
  const { list, state, read, current } = begin(three());
  await read();
  list.choose("b");
  state.items = [suggestion("a", 1, 4, 3), suggestion("e", 10, 14, 3), suggestion("c", 20, 20, 3)];
  await read();
  expect(current()).toBe("e");
  state.items = [suggestion("a", 1, 4, 3)];
  await read();
  expect(current()).toBe("a");
});
