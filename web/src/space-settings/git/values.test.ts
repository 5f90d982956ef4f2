import { expect, it } from "vitest";

import { bodyOf, isSsh, valuesOf } from "./values";

it("sends the defaults of a new synchronisation", () => {
  expect(bodyOf({ ...valuesOf(null), url: " https://example.org/d.git ", token: "t" })).toEqual({
    url: "https://example.org/d.git",
    ref: "main",
    projectDirectory: "",
    direction: "both",
    initialDirection: "import",
    credentials: { kind: "token", token: "t" },
    pollingInterval: 300,
    commitMessage: "{change_request.subject}",
    rewrittenHistory: "merge",
    signCommits: false,
    changeRequests: { import: [], export: "none", branchPrefix: "bindery/" },
  });
});

it("leaves stored credentials, and divides the names of branches", () => {
  const body = bodyOf({ ...valuesOf(null), credentials: "kept", branches: "docs/*\n\n fix/* ", service: "gitea" });
  expect(body.credentials).toBeUndefined();
  expect(body.changeRequests?.import).toEqual(["docs/*", "fix/*"]);
  expect(body.changeRequests?.service).toBe("gitea");
});

it("leaves out the parts of credentials that are empty", () => {
  expect(bodyOf({ ...valuesOf(null), credentials: "ssh" }).credentials).toEqual({ kind: "ssh" });
  expect(bodyOf({ ...valuesOf(null), credentials: "token" }).credentials).toEqual({ kind: "token" });
});

it("recognises addresses of SSH", () => {
  expect(["ssh://git@host/a", "git@host:team/a.git", " git@host:a"].map(isSsh)).toEqual([true, true, true]);
  expect(["https://host/a", "https://user:token@host/a", "git.example.org/a", ""].map(isSsh)).toEqual([false, false, false, false]);
});
