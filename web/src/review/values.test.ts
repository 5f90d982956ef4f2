import { describe, expect, it } from "vitest";

import { type ValueTexts, valueText, valueTexts } from "./values";

const texts: ValueTexts = { nothing: "nothing", yes: "yes", no: "no", file: "a file", titleOf: (page) => (page === "p1" ? "Install" : undefined) };

describe("valueText", () => {
  it.each([
    [null, "nothing"],
    ["", "nothing"],
    [true, "yes"],
    [3, "3"],
    [["a", "b"], "a, b"],
    [{ kind: "url", url: "https://example.com/" }, "https://example.com/"],
    [{ kind: "page", page: "p1" }, "Install"],
    [{ kind: "anchor", page: "p1", anchor: "end" }, "Install #end"],
    [{ kind: "page", page: "p2" }, "p2"],
    [{ kind: "anchor", anchor: "end" }, "#end"],
    [{ kind: "file", file: "f1" }, "a file"],
    [{ ref: { kind: "file", file: "f1" }, yPos: 0 }, "a file"],
    [{ outline: false }, "outline: no"],
  ])("shows %j as %s", (value, expected) => expect(valueText(value, texts)).toBe(expected));
});

describe("valueTexts", () => {
  it("leaves out what both objects share", () => {
    const layout = { name: "layout", before: { outline: true, width: "wide" }, after: { outline: false, width: "wide" } };
    expect(valueTexts(layout, texts)).toEqual({ before: "outline: yes", after: "outline: no" });
  });

  it("shows references whole", () => {
    const ref = { name: "ref", before: { kind: "page", page: "p1" }, after: { kind: "page", page: "p2" } };
    expect(valueTexts(ref, texts)).toEqual({ before: "Install", after: "p2" });
  });

  it("shows emojis as characters", () => {
    expect(valueTexts({ name: "emoji", before: null, after: "1f680" }, texts)).toEqual({ before: "nothing", after: "🚀" });
  });
});
