import { expect, it } from "vitest";

import { matchingNames } from "./icon-picker";

it("finds icons by parts of their names, the best first", () => {
  const names = ["arrow-up", "circle-arrow-up", "up", "upload"];
  expect(matchingNames(names, "up")).toEqual(["up", "upload", "arrow-up", "circle-arrow-up"]);
  expect(matchingNames(names, "Arrow up")).toEqual(["arrow-up", "circle-arrow-up"]);
  expect(matchingNames(names, "x")).toEqual([]);
});
