import { expect, it } from "vitest";

import { commitAddress } from "./commit-address";

it("leads to commits at known services", () => {
  expect(commitAddress("https://github.com/team/docs.git", "c")).toBe("https://github.com/team/docs/commit/c");
  expect(commitAddress("git@gitlab.com:team/a/docs.git", "c")).toBe("https://gitlab.com/team/a/docs/-/commit/c");
  expect(commitAddress("ssh://git@codeberg.org:22/team/docs", "c")).toBe("https://codeberg.org/team/docs/commit/c");
  expect(commitAddress("http://127.0.0.1:80/d.git", "c")).toBeUndefined();
  expect(commitAddress("https://git.example.org/team/docs.git", "c")).toBeUndefined();
  expect(commitAddress("http://git.example.org:3000/team/docs.git", "c", "gitea")).toBe("http://git.example.org:3000/team/docs/commit/c");
  expect(commitAddress("ssh://git@git.example.org:2222/team/docs.git", "c", "gitlab")).toBe("https://git.example.org/team/docs/-/commit/c");
  expect(commitAddress("javascript:alert(1)", "c")).toBeUndefined();
});
