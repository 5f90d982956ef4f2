import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { PersonPicker } from "../people/person-picker";
import { memberQuery } from "../people/queries";
import { Field } from "../sites/parts";
import { Avatar, Button, Checkbox, IconButton } from "../ui";

type Rule = Schemas["MergeRule"];
type PeopleRule = Extract<Rule, { users: string[] }>;

/** The rules that are met or not, without anything to choose. An approval by an agent is offered only to take it away. */
const SIMPLE = [
  "require_at_least_one_review",
  "require_all_reviews_approved",
  "require_up_to_date_change_request",
  "require_change_request_subject",
  "require_change_request_description",
  "require_agent_review",
] as const;

const OF_PEOPLE = ["require_specific_reviewers", "require_one_of_specific_reviewers", "allow_bypass"] as const;

interface Props {
  organization: string;
  rules: readonly Rule[];
  onChange: (rules: readonly Rule[]) => void;
}

/** The fields of merge rules. */
export function RuleFields({ organization, rules, onChange }: Props) {
  const { settings } = useMessages();
  const has = (rule: Rule["rule"]) => rules.some((one) => one.rule === rule);
  const offered = SIMPLE.filter((rule) => rule !== "require_agent_review" || has(rule));
  const own = rules.filter((rule) => rule.rule === "custom");
  const others = rules.filter((rule) => rule.rule !== "custom");
  const setOwn = (expressions: string[]) => onChange([...others, ...expressions.map((expression) => ({ rule: "custom" as const, expression }))]);
  const texts = own.map(({ expression }) => expression);
  return (
    <div className="stack settings-rules">
      <fieldset className="sites-choices">
        <legend>{settings.conditions}</legend>
        <div className="settings-checks">
          {offered.map((rule) => (
            <Checkbox
              key={rule}
              isSelected={has(rule)}
              onChange={(isOn) => onChange(isOn ? [...rules, { rule }] : rules.filter((one) => one.rule !== rule))}
            >
              {settings.rules[rule]}
            </Checkbox>
          ))}
        </div>
      </fieldset>
      {OF_PEOPLE.map((rule) => (
        <PeopleOfRule
          key={rule}
          organization={organization}
          label={settings[rule]}
          users={rules.flatMap((one) => (one.rule === rule ? one.users : []))}
          onChange={(users) => onChange(withPeople(rules, rule, users))}
        />
      ))}
      <section aria-label={settings.expressions}>
        <h3>{settings.expressions}</h3>
        <p className="hint-text">{settings.expressionsHint}</p>
        {texts.map((text, at) => (
          <div key={at} className="settings-expression">
            <Field
              label={settings.expression(at + 1)}
              value={text}
              onChange={(changed) => setOwn(texts.map((one, index) => (index === at ? changed : one)))}
              isRequired
            />
            <IconButton icon="trash" label={settings.removeExpression(at + 1)} onPress={() => setOwn(texts.filter((_, index) => index !== at))} />
          </div>
        ))}
        <Button isSmall icon="plus" onPress={() => setOwn([...texts, ""])}>
          {settings.addExpression}
        </Button>
      </section>
    </div>
  );
}

/** Returns the rules with other people in one of them; without people there is no such rule. */
function withPeople(rules: readonly Rule[], rule: PeopleRule["rule"], users: string[]): readonly Rule[] {
  const changed: Rule = { rule, users };
  const at = rules.findIndex((one) => one.rule === rule);
  const others = rules.filter((one) => one.rule !== rule);
  if (users.length === 0) return others;
  return at < 0 ? [...others, changed] : [...others.slice(0, at), changed, ...others.slice(at)];
}

interface PeopleProps {
  organization: string;
  label: string;
  users: readonly string[];
  onChange: (users: string[]) => void;
}

function PeopleOfRule({ organization, label, users, onChange }: PeopleProps) {
  const { settings } = useMessages();
  return (
    <section aria-label={label}>
      <h3>{label}</h3>
      {users.length === 0 ? (
        <p className="hint-text">{settings.nobodyChosen}</p>
      ) : (
        <ul className="settings-people">
          {users.map((user) => (
            <Person key={user} organization={organization} user={user} list={label} onRemove={() => onChange(users.filter((one) => one !== user))} />
          ))}
        </ul>
      )}
      <PersonPicker organization={organization} label={settings.addPerson} without={users} onChoose={({ id }) => onChange([...users, id])} />
    </section>
  );
}

function Person({ organization, user, list, onRemove }: { organization: string; user: string; list: string; onRemove: () => void }) {
  const { settings } = useMessages();
  const found = useQuery({ ...memberQuery(organization, user), staleTime: 300_000 }).data?.user;
  const name = found?.displayName ?? user;
  return (
    <li>
      <Avatar name={name} url={found?.photoURL} />
      <span className="people-break">{name}</span>
      <IconButton icon="close" label={settings.removePerson(name, list)} onPress={onRemove} />
    </li>
  );
}
