import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { organizationQuery, spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Form } from "../sites/parts";
import { Button, type Command, Menu, notify, Select } from "../ui";
import { MergeRuleItem } from "./merge-rule";
import { FormError } from "./parts";
import { fieldErrors } from "./refusal";

type Rule = Schemas["MergeRule"];
type Kind = Schemas["MergeRulesSpaceConfiguration"]["type"];

const KINDS: readonly Kind[] = ["inherit", "none", "rules"];

/** The rules that a person can add, from the simple to the complex. */
const NEW_RULES: readonly Rule[] = [
  { rule: "require_at_least_one_review" },
  { rule: "require_all_reviews_approved" },
  { rule: "require_specific_reviewers", users: [] },
  { rule: "require_one_of_specific_reviewers", users: [] },
  { rule: "require_up_to_date_change_request" },
  { rule: "require_change_request_subject" },
  { rule: "require_change_request_description" },
  { rule: "custom", expression: "" },
  { rule: "allow_bypass", users: [] },
];

/** True if a second rule of the same kind has no effect. */
function isSingle({ rule }: Rule): boolean {
  return rule !== "custom" && rule !== "require_one_of_specific_reviewers";
}

/** The form with the merge rules of a space. */
export function MergeRules({ organization, space }: { organization: string; space: Schemas["Space"] }) {
  const { spaceSettings, shell } = useMessages();
  const saved = space.mergeRules;
  const [kind, setKind] = useState<Kind>(saved.type);
  const [rules, setRules] = useState<Rule[]>(saved.type === "rules" ? saved.rules : []);
  const isAdmin = space.permissions.admin;
  const mergeRules = kind === "rules" ? { type: kind, rules } : { type: kind };
  const save = useChange(() => data(client.PATCH("/spaces/{spaceId}", { params: { path: { spaceId: space.id } }, body: { mergeRules } })), {
    forget: [spaceQuery(space.id).queryKey],
    isQuiet: true,
    onDone: () => notify(spaceSettings.saved, { tone: "success" }),
  });
  const placeOf = (at: number) => `/mergeRules/rules/${at}`;
  const errors = fieldErrors(save.error, kind === "rules" ? rules.map((_, at) => placeOf(at)) : []);
  const change = (next: Rule[]) => {
    save.reset();
    setRules(next);
  };
  const addable = NEW_RULES.filter((one) => !isSingle(one) || !rules.some(({ rule }) => rule === one.rule));
  const commands: Command[] = addable.map((one) => ({ id: one.rule, label: spaceSettings.ruleNames[one.rule], run: () => change([...rules, one]) }));
  return (
    <Form onSubmit={() => save.mutate()}>
      <FormError>{errors.above}</FormError>
      <div className="sites-narrow">
        <Select
          label={spaceSettings.rulesFrom}
          options={KINDS.map((id) => ({ id, label: spaceSettings.rulesTypes[id] }))}
          value={kind}
          onChange={setKind}
          isDisabled={!isAdmin}
        />
      </div>
      {kind === "inherit" && <Inherited organization={organization} />}
      {kind === "rules" && rules.length === 0 && <p className="muted">{spaceSettings.rulesEmpty}</p>}
      {kind === "rules" && rules.length > 0 && (
        <ul className="list">
          {rules.map((rule, at) => (
            <MergeRuleItem
              key={at}
              organization={organization}
              rule={rule}
              isDisabled={!isAdmin}
              error={errors.at(placeOf(at))}
              onChange={(next) => change(rules.map((one, other) => (other === at ? next : one)))}
              onRemove={() => change(rules.filter((_, other) => other !== at))}
            />
          ))}
        </ul>
      )}
      {isAdmin && (
        <div className="row">
          <Button type="submit" isPending={save.isPending} isDisabled={JSON.stringify(mergeRules) === JSON.stringify(saved)}>
            {shell.save}
          </Button>
          {kind === "rules" && (
            <Menu label={spaceSettings.addRule} commands={commands}>
              {spaceSettings.addRule}
            </Menu>
          )}
        </div>
      )}
    </Form>
  );
}

/** The rules of the organization, which the space follows. */
function Inherited({ organization }: { organization: string }) {
  const { spaceSettings } = useMessages();
  const found = useQuery(organizationQuery(organization));
  const rules = found.data?.mergeRules;
  if (rules === undefined) return null;
  if (rules.type === "none" || rules.rules.length === 0) return <p className="muted">{spaceSettings.rulesInheritedNone}</p>;
  return (
    <div>
      <p className="muted">{spaceSettings.rulesInherited}</p>
      <ul className="settings-bullets">
        {rules.rules.map(({ rule }, at) => (
          <li key={at}>{spaceSettings.ruleNames[rule]}</li>
        ))}
      </ul>
    </div>
  );
}
