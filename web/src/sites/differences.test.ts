import { expect, it } from "vitest";

import { countDifferences, differences, isEqual, rebased, withDifferences } from "./differences";

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

it("applies the differences that it finds", () => {
  const after = { styling: { ...before.styling, corners: "straight", sidebar: { list: "line", background: "default" } }, header: { links: [] }, footer: { copyright: "A" } };
  expect(withDifferences(before, differences(before, after))).toEqual(after);
  expect(before.styling.corners).toBe("rounded");
});

it("keeps what somebody else changed", () => {
  const mine = { ...before, title: "Mine" };
  const theirs = { ...before, styling: { ...before.styling, corners: "circular" } };
  expect(rebased({ base: before, value: mine }, theirs)).toEqual({ ...theirs, title: "Mine" });
});
