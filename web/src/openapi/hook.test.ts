import { expect, it } from "vitest";

import { commandOf } from "./hook";

it("writes the command that calls a hook", () => {
  const url = "https://docs.example/~hooks/openapi/H1";
  expect(commandOf(url, "bnh_1")).toBe(`curl -X POST -H "X-Bindery-Token: bnh_1" ${url}`);
  expect(commandOf(url, undefined)).toContain("X-Bindery-Token: TOKEN");
});
