import { expect, it } from "vitest";

import { draftOf, isChanged, isEmpty, moved, nameOf, overlaysOf, positionIn } from "./overlays";

const saved = [{ source: { url: "https://a.example/o.yaml" } }, { source: { text: "overlay: 1.0.0\ninfo:\n  title: 'More words'\n" } }];
const drafts = saved.map((overlay, at) => draftOf(at, overlay));

it("writes drafts as the overlays that they were read from", () => {
  expect(overlaysOf(drafts)).toEqual(saved);
  expect(isChanged(drafts, saved)).toBe(false);
});

it("knows what changes overlays", () => {
  const [first, second] = drafts as [(typeof drafts)[0], (typeof drafts)[0]];
  expect(isChanged([second, first], saved)).toBe(true);
  expect(isChanged([first], saved)).toBe(true);
  expect(isChanged([...drafts, draftOf(7)], saved)).toBe(true);
  expect(isChanged([{ ...first, url: `${first.url} ` }, second], saved)).toBe(false);
  expect(isChanged([{ ...first, text: "of the other way" }, second], saved)).toBe(false);
});

it.each([
  [0, 2, "bca"],
  [2, 0, "cab"],
  [1, 1, "abc"],
])("moves a draft from %i to %i", (from, to, order) => {
  const list = [..."abc"].map((url, id) => ({ ...draftOf(id), url }));
  expect(moved(list, from, to).map(({ url }) => url).join("")).toBe(order);
});

it("names an overlay by its address or its title", () => {
  expect(drafts.map(nameOf)).toEqual(["https://a.example/o.yaml", "More words"]);
  expect(nameOf({ ...draftOf(1), way: "text", text: "actions: []" })).toBe("");
});

it("knows what is not given yet", () => {
  expect(isEmpty(draftOf(1))).toBe(true);
  expect(isEmpty({ ...draftOf(1), url: "https://a.example", way: "text", text: " \n" })).toBe(true);
  expect(drafts.some(isEmpty)).toBe(false);
});

it.each([
  ["/overlays/1/source/url", 1],
  ["/overlays/10", 10],
  ["/overlays", undefined],
  ["/overlays/1a", undefined],
  ["/source/url", undefined],
  ["", undefined],
])("finds the position in %s", (place, position) => {
  expect(positionIn(place)).toBe(position);
});
