import { expect, it } from "vitest";

import { colourOf } from "./colour";

it("gives the first eight people different colours, and each person one", () => {
  const people = Array.from({ length: 20 }, (_, number) => `person-${number}`);
  const colours = people.map(colourOf);
  expect(new Set(colours.slice(0, 8)).size).toBe(8);
  expect(people.map(colourOf)).toEqual(colours);
  expect(colours.every((colour) => colour >= 0 && colour < 8)).toBe(true);
});
