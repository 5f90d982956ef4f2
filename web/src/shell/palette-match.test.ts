import { describe, expect, it } from "vitest";

import { type Entry, isMatch, ordered } from "./palette-match";

const entry = (title: string, synonyms?: string): Entry => ({ id: title, title, synonyms, icon: "page", run: () => {} });

describe("isMatch", () => {
  const cases: [string, string, string | undefined, boolean][] = [
    ["", "Audit log", undefined, true],
    ["aud", "Audit log", undefined, true],
    ["log aud", "Audit log", undefined, true],
    ["og", "Audit log", undefined, false],
    ["API KEY", "API tokens", "api keys secrets", true],
    ["key other", "API tokens", "api keys secrets", false],
  ];
  it.each(cases)("%s in %s (%s): %s", (text, title, synonyms, expected) => {
    expect(isMatch(text, entry(title, synonyms))).toBe(expected);
  });
});

describe("ordered", () => {
  const pages = { id: "pages", title: "Pages", entries: [entry("How to sign in")] };
  const commands = { id: "commands", title: "Commands", entries: [entry("Sign out", "log exit")] };
  const none = { id: "none", title: "None", entries: [] };
  const cases: [string, string[]][] = [
    ["sig", ["commands", "pages"]],
    ["log out", ["commands", "pages"]],
    ["exit", ["pages", "commands"]],
    ["", ["pages", "commands"]],
  ];
  it.each(cases)("%s: %s", (text, expected) => {
    expect(ordered(text, [none, commands], [pages]).map(({ id }) => id)).toEqual(expected);
  });
});
