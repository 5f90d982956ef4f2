import { expect, it } from "vitest";

import { countDifferences, differences, isEqual } from "./model";

const before = {
  title: "Docs",
  styling: { corners: "rounded", primaryColor: { light: "#000000", dark: "#ffffff" }, sidebar: { list: "pill", background: "default" } },
  header: { links: [{ title: "A" }] },
};

it("finds nothing between equal values", () => {
  expect(differences(before, structuredClone(before))).toEqual({});
  expect(isEqual({ a: undefined }, {})).toBe(true);
});

it("names changed parts, whole colours and lists", () => {
  const after = {
    styling: { corners: "rounded", primaryColor: { light: "#111111", dark: "#ffffff" }, sidebar: { list: "line", background: "default" } },
    header: { links: [] },
  };
  expect(differences(before, after)).toEqual({
    title: null,
    styling: { primaryColor: { light: "#111111", dark: "#ffffff" }, sidebar: { list: "line" } },
    header: { links: [] },
  });
  expect(countDifferences(before, after)).toBe(4);
});
