import type { Schemas } from "../api/client";

type Rule = Schemas["MergeRule"];
type Review = Schemas["ChangeRequestReview"];

/** A merge rule with its state; the server alone knows the state of an expression. */
export interface RuleState {
  rule: Rule;
  state: "met" | "unmet" | "unknown";
  /** The ids of the people whose approval is missing. */
  missing?: string[];
}

/** The facts that decide about merge rules. */
export interface RuleFacts {
  changeRequest: Pick<Schemas["ChangeRequest"], "subject" | "description" | "outdated">;
  reviews: readonly Review[];
}

/** Returns the last review of each person, newest first. */
export function latestReviews(reviews: readonly Review[]): Review[] {
  const found = new Map<string, Review>();
  for (const one of [...reviews].sort((a, b) => b.createdAt.localeCompare(a.createdAt))) {
    if (!found.has(one.reviewer.id)) found.set(one.reviewer.id, one);
  }
  return [...found.values()];
}

/** Returns the merge rules with their states; the server decides again when a change request is merged. */
export function ruleStates(rules: readonly Rule[], { changeRequest, reviews }: RuleFacts): RuleState[] {
  const counting = latestReviews(reviews).filter(({ outdated }) => !outdated);
  const approved = new Set(counting.filter(({ status }) => status === "approved").map(({ reviewer }) => reviewer.id));
  const known = (rule: Rule, isMet: boolean, missing?: string[]): RuleState => ({ rule, state: isMet ? "met" : "unmet", ...(missing && { missing }) });
  return rules.flatMap((rule): RuleState[] => {
    switch (rule.rule) {
      case "require_at_least_one_review":
        return [known(rule, counting.length > 0)];
      case "require_all_reviews_approved":
        return [known(rule, approved.size === counting.length)];
      case "require_specific_reviewers": {
        const missing = rule.users.filter((user) => !approved.has(user));
        return [known(rule, missing.length === 0, missing)];
      }
      case "require_one_of_specific_reviewers": {
        const isMet = rule.users.some((user) => approved.has(user));
        return [known(rule, isMet, isMet ? [] : rule.users)];
      }
      case "require_up_to_date_change_request":
        return [known(rule, !changeRequest.outdated)];
      case "require_change_request_subject":
        return [known(rule, changeRequest.subject.trim() !== "")];
      case "require_change_request_description":
        return [known(rule, (changeRequest.description?.nodes.length ?? 0) > 0)];
      case "require_agent_review":
        return [known(rule, false)];
      case "custom":
        return [{ rule, state: "unknown" }];
      case "allow_bypass":
        return [];
    }
  });
}

/** Returns the single reasons in a refusal of a merge as sentences. */
export function reasonsOf(message: string): string[] {
  const reasons = message.replace(/^the merge rules are not met: /, "").split("; ");
  return reasons.map((reason) => `${reason.charAt(0).toLocaleUpperCase()}${reason.slice(1)}.`);
}
