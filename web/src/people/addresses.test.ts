import { expect, test } from "vitest";

import { parseAddresses } from "./addresses";

test("addresses are separated by anything and named once", () => {
  const text = "ann@example.org, ben@example.org;\nAnn Archer <ANN@example.org>\n\tcarl@example.org dora@example.org";
  expect(parseAddresses(text)).toEqual({
    valid: ["ann@example.org", "ben@example.org", "carl@example.org", "dora@example.org"],
    invalid: [],
  });
});

test("what is no address is told", () => {
  expect(parseAddresses("ann, ben@, mailto:carl@example.org")).toEqual({ valid: ["carl@example.org"], invalid: ["ann", "ben@"] });
});

test("an empty text has no addresses", () => {
  expect(parseAddresses(" \n ,")).toEqual({ valid: [], invalid: [] });
});
