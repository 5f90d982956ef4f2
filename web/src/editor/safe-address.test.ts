import { expect, it } from "vitest";

import { safeAddress } from "./safe-address";

it.each(["https://example.com/a?b#c", "http://localhost:80", "mailto:a@example.com", "tel:+49", "/pages/x", "./a.md", "#part", "a b.md", ""])("keeps %s", (address) => {
  expect(safeAddress(address)).toBe(address);
});

it.each(["javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "\u0001javascript:alert(1)", "data:text/html,x", "vbscript:x", "blob:x", "file:///etc/passwd"])(
  "refuses %j",
  (address) => {
    expect(safeAddress(address)).toBeUndefined();
  },
);
