import { describe, expect, it } from "vitest";

import type { Schemas } from "../api/client";
import { latestReviews, reasonsOf, ruleStates } from "./rules";

const user = (id: string): Schemas["User"] => ({ object: "user", id, displayName: id, urls: { location: "" } });

const review = (by: string, status: Schemas["ChangeRequestReviewStatus"], createdAt: string, outdated = false): Schemas["ChangeRequestReview"] => ({
  object: "change-request-review",
  id: by + createdAt,
  revision: "r",
  reviewer: user(by),
  status,
  outdated,
  createdAt,
  updatedAt: createdAt,
  urls: { location: "" },
});

const changeRequest = { subject: "Subject", outdated: false };

describe("latestReviews", () => {
  it("keeps the last review of each person", () => {
    const found = latestReviews([review("ann", "changes-requested", "1"), review("ben", "approved", "2"), review("ann", "approved", "3")]);
    expect(found.map(({ reviewer, status }) => `${reviewer.id} ${status}`)).toEqual(["ann approved", "ben approved"]);
  });
});

describe("ruleStates", () => {
  const states = (rules: Schemas["MergeRule"][], reviews: Schemas["ChangeRequestReview"][], row = changeRequest) =>
    ruleStates(rules, { changeRequest: row, reviews }).map(({ state }) => state);

  it("counts no review of earlier content", () => {
    expect(states([{ rule: "require_at_least_one_review" }], [review("ann", "approved", "1", true)])).toEqual(["unmet"]);
    expect(states([{ rule: "require_at_least_one_review" }], [review("ann", "changes-requested", "1")])).toEqual(["met"]);
  });

  it("names the people whose approval is missing", () => {
    const found = ruleStates([{ rule: "require_specific_reviewers", users: ["ann", "ben"] }], { changeRequest, reviews: [review("ann", "approved", "1")] });
    expect(found).toMatchObject([{ state: "unmet", missing: ["ben"] }]);
  });

  it("leaves expressions to the server, and bypasses out", () => {
    expect(states([{ rule: "custom", expression: "true" }, { rule: "allow_bypass", users: ["ann"] }], [])).toEqual(["unknown"]);
  });

  it("looks at the change request", () => {
    const rules = [{ rule: "require_up_to_date_change_request" }, { rule: "require_change_request_subject" }, { rule: "require_change_request_description" }] as const;
    expect(states([...rules], [], { subject: " ", outdated: true })).toEqual(["unmet", "unmet", "unmet"]);
  });
});

describe("reasonsOf", () => {
  it("splits a refusal", () => {
    expect(reasonsOf("the merge rules are not met: its current content has no review; it has no subject")).toEqual(["Its current content has no review.", "It has no subject."]);
    expect(reasonsOf("the space is locked")).toEqual(["The space is locked."]);
  });
});
