import { expect, it } from "vitest";

import { colourOf, contrast } from "./colours";

it("reads colours", () => {
  expect(colourOf("#346DDB")).toBe("#346ddb");
  expect(colourOf("abc")).toBe("#aabbcc");
  expect(colourOf("#12345")).toBeUndefined();
});

it("computes contrasts", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
