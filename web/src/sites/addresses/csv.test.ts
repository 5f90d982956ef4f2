import { expect, it } from "vitest";

import { pathOf, readRedirects } from "./csv";

it("reads lines with commas, semicolons and tabs", () => {
  const text = 'source,target\n/old/a, guides/a\n"/old/b";"/guides/b/";302\n\n/old/c\tguides/c\r\n';
  expect(readRedirects(text)).toEqual({
    redirects: [
      { source: "/old/a", path: "guides/a", permanent: true },
      { source: "/old/b", path: "guides/b", permanent: false },
      { source: "/old/c", path: "guides/c", permanent: true },
    ],
    wrong: [],
  });
});

it("takes the paths of addresses", () => {
  const { redirects } = readRedirects("https://old.example.com/a/b?x=1#y,https://docs.example.com/c/");
  expect(redirects).toEqual([{ source: "/a/b", path: "c", permanent: true }]);
});

it("encodes characters once", () => {
  expect(pathOf(" /old page/ä%20b/ ")).toBe("/old%20page/%C3%A4%20b");
});

it("names the lines that are wrong", () => {
  expect(readRedirects("/a,b\nnothing\n/,b\n/c,").wrong).toEqual([2, 3, 4]);
});
