import { describe, expect, it } from "vitest";

import { factsOf, wordsOf } from "./payload";

describe("factsOf", () => {
  it("lists changed fields", () => {
    const payload = { changes: [{ field: "title", before: "A", after: "B" }], origin: { address: "127.0.0.1", token: null } };
    expect(factsOf(payload)).toEqual([{ field: "title", before: "A", after: "B" }]);
  });

  it("compares the fields of states", () => {
    const payload = { before: { title: "A", icon: "x" }, after: { title: "B", icon: "x" }, team: "t1" };
    expect(factsOf(payload)).toEqual([
      { field: "title", before: "A", after: "B" },
      { field: "team", value: "t1" },
    ]);
  });

  it("keeps a change of access and leaves absent values out", () => {
    const payload = { before: null, after: "edit", user: "u1", team: null };
    expect(factsOf(payload)).toEqual([
      { field: "access", before: null, after: "edit" },
      { field: "user", value: "u1" },
    ]);
  });
});

describe("wordsOf", () => {
  it.each([
    ["emailDomains", "Email domains"],
    ["title", "Title"],
    ["revision_kind", "Revision kind"],
  ])("splits %s", (field, expected) => {
    expect(wordsOf(field)).toBe(expected);
  });
});
