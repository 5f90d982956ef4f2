import { StepMap } from "prosemirror-transform";
import { expect, it, vi } from "vitest";

import type { Person } from "./carets";
import { People } from "./people";
import { Positions } from "./positions";
import type { Selected } from "./together";

function begin(own: StepMap[] = []) {
  const shown: (readonly Person[])[] = [];
  const sent: Selected[] = [];
  const positions = new Positions(() => own);
  const people = new People({
    client: "own",
    positions,
    send: (selected) => {
      sent.push(selected);
      return Promise.resolve();
    },
    onPeople: (now) => shown.push(now),
  });
  positions.begin("session", 3);
  const move = (...maps: StepMap[]) => {
    positions.moved(maps);
    people.moved();
  };
  return { people, move, shown, sent };
}

const ann = { client: "a", user: "ann", name: "Ann" };
const insertion = (at: number, size: number) => new StepMap([at, 0, size]);

it("shows others where they are in the text of this window", () => {
  const { people, move, shown } = begin([insertion(0, 100)]);
  people.change({ present: [{ ...ann, selection: { version: 3, anchor: 5, head: 8 } }, { client: "own", user: "me", name: "Me" }], left: [] });
  expect(shown.at(-1)).toEqual([{ ...ann, anchor: 105, head: 108 }]);
  // The caret moves with the text from now on.
  move(insertion(1, 10));
  people.change({ present: [], left: [] });
  expect(shown.at(-1)).toEqual([{ ...ann, isPlaced: true }]);
  people.change({ present: [], left: ["a"] });
  expect(shown.at(-1)).toEqual([]);
});

it("lists people by their names, whenever they came", () => {
  const { people, shown } = begin();
  const names = () => shown.at(-1)?.map(({ client }) => client);
  for (const [client, name] of [["z", "Zoe"], ["b", "Ben"], ["a", "Ann"]] as const) people.change({ present: [{ client, user: client, name }], left: [] });
  expect(names()).toEqual(["a", "b", "z"]);
  // A window that comes again stays where it was.
  people.change({ present: [], left: ["a"] });
  people.change({ present: [ann], left: [] });
  expect(names()).toEqual(["a", "b", "z"]);
});

it("brings a selection of an earlier version up to the text, and waits for a later one", () => {
  const { people, move, shown } = begin();
  move(insertion(1, 10));
  people.change({ present: [{ ...ann, selection: { version: 3, anchor: 5, head: 5 } }], left: [] });
  expect(shown.at(-1)).toEqual([{ ...ann, anchor: 15, head: 15 }]);
  people.change({ present: [{ ...ann, selection: { version: 5, anchor: 7, head: 7 } }], left: [] });
  expect(shown.at(-1)).toEqual([ann]);
  move(insertion(1, 2));
  expect(shown.at(-1)).toEqual([{ ...ann, anchor: 7, head: 7 }]);
});

it("tells others what is selected, at positions that they know", () => {
  vi.useFakeTimers();
  const { people, sent } = begin([insertion(0, 100)]);
  people.select(104, 106);
  vi.runAllTimers();
  expect(sent).toEqual([]);
  people.change({ present: [{ ...ann, selection: null }], left: [] });
  people.select(105, 106);
  vi.runAllTimers();
  expect(sent).toEqual([{ version: 3, anchor: 5, head: 6 }]);
  vi.useRealTimers();
});
