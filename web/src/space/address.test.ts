import { expect, it } from "vitest";

import { viewOf } from "./address";

it("reads the addresses in a space", () => {
  const main = { organization: "o", space: "s" };
  const change = { ...main, changeRequest: "3" };
  expect(viewOf("o", "s", "")).toEqual({ kind: "page", place: main, page: undefined });
  expect(viewOf("o", "s", "guides/set%20up")).toEqual({ kind: "page", place: main, page: "guides/set up" });
  expect(viewOf("o", "s", "~/changes")).toEqual({ kind: "changes", place: main });
  expect(viewOf("o", "s", "~/changes/3")).toEqual({ kind: "page", place: change, page: undefined });
  expect(viewOf("o", "s", "~/changes/3/a/b")).toEqual({ kind: "page", place: change, page: "a/b" });
  expect(viewOf("o", "s", "~/changes/3/~/review")).toEqual({ kind: "review", place: change });
  expect(viewOf("o", "s", "~/changes/3/~/files")).toEqual({ kind: "files", place: change });
  expect(viewOf("o", "s", "~/history/r")).toEqual({ kind: "history", place: main, revision: "r" });
  expect(viewOf("o", "s", "~/settings")).toEqual({ kind: "settings", place: main, path: "" });
  expect(viewOf("o", "s", "~/settings/git/connection")).toEqual({ kind: "settings", place: main, path: "git/connection" });
  expect(viewOf("o", "s", "~/none")).toBeUndefined();
  expect(viewOf("o", "s", "%E0%A4%A")).toMatchObject({ page: "%E0%A4%A" });
});
