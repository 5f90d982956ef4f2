import { describe, expect, it } from "vitest";

import { askedOf, filterOf, searchOf } from "./audit-search";

const now = new Date("2026-03-10T12:00:00.000Z");

describe("the filters of the audit log", () => {
  it.each(["", "?actor=u1", "?action=space.created&period=week", "?period=custom&from=2026-01-01&to=2026-01-31"])("keep %s", (search) => {
    expect(searchOf(askedOf(search))).toBe(search);
  });

  it("leave out days that belong to no custom period, and unknown periods", () => {
    expect(searchOf(askedOf("?period=year&from=2026-01-01"))).toBe("");
  });

  it("begin a period before now", () => {
    expect(filterOf(askedOf("?period=day"), now)).toMatchObject({ from: "2026-03-09T12:00:00.000Z", to: "" });
  });

  it("include the last day", () => {
    const { from, to } = filterOf(askedOf("?period=custom&from=2026-01-31&to=2026-01-31"), now);
    expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
  });

  it("put days in order", () => {
    const inOrder = filterOf(askedOf("?period=custom&from=2026-01-01&to=2026-01-31"), now);
    expect(filterOf(askedOf("?period=custom&from=2026-01-31&to=2026-01-01"), now)).toEqual(inOrder);
  });

  it("ignore what is no day", () => {
    expect(filterOf(askedOf("?period=custom&from=x&to="), now)).toMatchObject({ from: "", to: "" });
  });
});
