import { expect, it } from "vitest";

import { colourOf, contrast, mixed } from "./colours";

it("reads colours", () => {
  expect(colourOf("#346DDB")).toBe("#346ddb");
  expect(colourOf("abc")).toBe("#aabbcc");
  expect(colourOf("#12345")).toBeUndefined();
});

it("computes contrasts", () => {
  expect(contrast("#000000", "#ffffff")).toBe(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});

it("mixes colours", () => {
  expect(mixed("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(mixed("#0a1b2c", "#ffffff", 0)).toBe("#0a1b2c");
});
