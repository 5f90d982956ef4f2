import { expect, it } from "vitest";

import { frontMatterOf, type Looks } from "./front-matter";

const layout: Looks["layout"] = {
  width: "wide",
  cover: true,
  coverSize: "full",
  title: true,
  description: false,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
};

it("writes layout, cover and variables as one line each", () => {
  const cover: Looks["cover"] = { ref: { kind: "file", file: "f" }, refDark: { kind: "url", url: "https://a.example/b.png" }, yPos: 20, height: 100 };
  const text = frontMatterOf({ layout, cover }, { edition: 'a "b"' });
  const lines = text.split("\n");
  expect(lines[0]).toBe("---");
  expect(lines[1]).toContain('"description":{"visible":false}');
  expect(lines.slice(2, 6)).toEqual([
    'cover: {"light":"/files/f","dark":"https://a.example/b.png"}',
    "coverY: 20",
    "coverHeight: 100",
    'vars: {"edition":"a \\"b\\""}',
  ]);
  expect(text.endsWith("---\n\n")).toBe(true);
});

it("writes no cover if there is none", () => {
  expect(frontMatterOf({ layout, cover: undefined }, undefined)).not.toContain("coverY");
});
