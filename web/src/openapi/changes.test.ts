import { expect, it } from "vitest";

import { type Change, feedOf, filterOf, groupsOf, type Level, markdownOf, piecesOf, searchOf } from "./changes";

const change = (level: Level, method: string, path: string, text = "The text.") => ({ rule: "some-rule", level, text, ...(method && { method }), ...(path && { path }) }) as Change;

/** Returns the groups of pages as `NAME: number of changes`. */
function grouped(...pages: Change[][]): string[] {
  return groupsOf(pages).map(({ method, path, webhook, changes }) => `${[method, path, webhook && `webhook ${webhook}`].filter(Boolean).join(" ")}: ${changes.length}`);
}

it("groups changes by their operation, the first one first", () => {
  const page = [change("breaking", "get", "/ships"), change("breaking", "", ""), change("warning", "post", "webhook:sunk"), change("info", "get", "/ships"), change("info", "post", "/ships")];
  expect(grouped(page)).toEqual(["GET /ships: 2", ": 1", "POST webhook sunk: 1", "POST /ships: 1"]);
});

it("adds a later page to the last group and not to earlier ones", () => {
  const [ships, harbours] = [change("info", "get", "/ships"), change("info", "get", "/harbours")];
  const first = [ships, harbours];
  expect(grouped(first, [harbours, ships])).toEqual(["GET /ships: 1", "GET /harbours: 2", "GET /ships: 1"]);
  expect(groupsOf([first, [harbours, ships]]).map(({ key }) => key)).toEqual(["0", "1", "2"]);
  expect(first).toHaveLength(2);
});

it.each([
  ["The header `Age` is `a`.", ["The header ", "=Age", " is ", "=a", "."]],
  ["`a` and `b`", ["=a", " and ", "=b"]],
  ["no code", ["no code"]],
  ["a ` alone", ["a ` alone"]],
  ["`a` and ` alone", ["=a", " and ` alone"]],
  ["", []],
])("divides the sentence %j at its backticks", (sentence, pieces) => {
  expect(piecesOf(sentence).map(({ text, isCode }) => (isCode ? `=${text}` : text))).toEqual(pieces);
});

it("writes changes as Markdown and keeps its marks from names", () => {
  const words = { title: "ships_x: Changes", about: ["Since *then*"], levels: { breaking: "Breaking", warning: "Warning", info: "Other" }, whole: "The whole description", webhook: "Webhook" };
  const page = [change("breaking", "get", "/ships/{id}", "The\nparameter `a_b` of <T> is gone."), change("info", "", ""), change("info", "post", "webhook:sunk")];
  expect(markdownOf(groupsOf([page]), words)).toBe(
    [
      "# ships\\_x: Changes",
      "Since \\*then\\*",
      "## GET `/ships/{id}`",
      "- **Breaking:** The parameter `a_b` of \\<T\\> is gone. (`some-rule`)",
      "## The whole description",
      "- **Other:** The text. (`some-rule`)",
      "## POST Webhook `sunk`",
      "- **Other:** The text. (`some-rule`)\n",
    ].join("\n\n"),
  );
});

it.each([
  ["", { level: "all", text: "" }],
  ["?level=breaking", { level: "breaking", text: "" }],
  ["?level=info&q=a+%26+b", { level: "info", text: "a & b" }],
] as const)("reads and writes the filter %s of an address", (search, filter) => {
  expect(filterOf(search)).toEqual(filter);
  expect(searchOf(filter)).toBe(search);
});

it("takes an unknown level of an address for all", () => {
  expect(filterOf("?level=fatal&q=x")).toEqual({ level: "all", text: "x" });
});

it("has a feed only of published specifications", () => {
  const urls = { location: "https://api.example/v1", app: "https://app.example" };
  expect(feedOf({ id: "S1", urls: { ...urls, published: "https://docs.example/~openapi/S1/openapi.json" } })).toBe("https://docs.example/~openapi/S1/changes.atom");
  expect(feedOf({ id: "S1", urls })).toBeUndefined();
});
