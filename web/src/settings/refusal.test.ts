import { describe, expect, it } from "vitest";

import { refusalOf } from "./refusal";

describe("refusalOf", () => {
  const cases: [string, { field?: string; reason: string }][] = [
    ["body at /hostname: docs is taken", { field: "hostname", reason: "docs is taken" }],
    ["body at /emailDomains/0: found \"x\", allowed: a domain", { field: "emailDomains", reason: "found \"x\", allowed: a domain" }],
    ["you may not manage this organization", { reason: "you may not manage this organization" }],
  ];
  it.each(cases)("reads %s", (message, expected) => {
    expect(refusalOf(new Error(message))).toEqual(expected);
  });

  it("is absent without an error", () => {
    expect(refusalOf(null)).toBeUndefined();
  });
});
