import { expect, it } from "vitest";

import { pathOf, readRedirects, writeRedirects } from "./csv";

it("reads lines with commas, semicolons and tabs", () => {
  const text = '\ufeffsource,target\n/old/a, guides/a\n"/old/b";"/guides/b/";302\n\n/old/c\tguides/c\t\tapi\r\n';
  expect(readRedirects(text)).toEqual({
    redirects: [
      { line: 2, source: "/old/a", path: "guides/a", permanent: true, space: "" },
      { line: 3, source: "/old/b", path: "guides/b", permanent: false, space: "" },
      { line: 5, source: "/old/c", path: "guides/c", permanent: true, space: "api" },
    ],
    wrong: [],
  });
});

it("keeps separators and quotation marks in quoted fields", () => {
  expect(readRedirects('/a,b,301,"Guides; ""new"", all"').redirects).toMatchObject([{ path: "b", space: 'Guides; "new", all' }]);
});

it("takes the paths of addresses", () => {
  const { redirects } = readRedirects("https://old.example.com/a/b?x=1#y,https://docs.example.com/c/");
  expect(redirects).toMatchObject([{ source: "/a/b", path: "c" }]);
});

it("encodes characters once", () => {
  expect(pathOf(" /old page/ä%20b/ ")).toBe("/old%20page/%C3%A4%20b");
});

it("names the lines that are wrong", () => {
  expect(readRedirects(`/a,b\nnothing\n/,b\n/c,\n/a//b,c\n/a(b),c\n/${"a".repeat(512)},b`).wrong).toEqual([2, 3, 4, 5, 6, 7]);
});

it("reads what it writes", () => {
  const redirects = [
    { source: "/a", path: "", space: "guides" },
    { source: "/b/c%20d", path: "x/y", space: 'A "b", c' },
  ];
  expect(readRedirects(writeRedirects(redirects)).redirects.map(({ source, path, space }) => ({ source, path, space }))).toEqual(redirects);
});
