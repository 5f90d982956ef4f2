import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { PersonPicker } from "../people/person-picker";
import { memberQuery } from "../people/queries";
import { Field } from "../sites/parts";
import { IconButton } from "../ui";

type Rule = Schemas["MergeRule"];

interface Props {
  organization: string;
  rule: Rule;
  isDisabled: boolean;
  error: string | undefined;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

/** A merge rule in the list of rules, with its people or its expression. */
export function MergeRuleItem({ organization, rule, isDisabled, error, onChange, onRemove }: Props) {
  const { spaceSettings } = useMessages();
  const name = spaceSettings.ruleNames[rule.rule];
  return (
    <li className="settings-rule">
      <div className="settings-rule-head">
        <span>{name}</span>
        {!isDisabled && <IconButton icon="trash" label={spaceSettings.removeRule(name)} onPress={onRemove} />}
      </div>
      {rule.rule === "require_agent_review" && <p className="hint-text">{spaceSettings.agentHint}</p>}
      {"users" in rule && (
        <>
          {rule.users.length > 0 && (
            <ul className="settings-people" aria-label={spaceSettings.rulePeople}>
              {rule.users.map((user) => (
                <Person
                  key={user}
                  organization={organization}
                  user={user}
                  isDisabled={isDisabled}
                  onRemove={() => onChange({ ...rule, users: rule.users.filter((one) => one !== user) })}
                />
              ))}
            </ul>
          )}
          {!isDisabled && (
            <PersonPicker
              organization={organization}
              label={spaceSettings.addPerson}
              without={rule.users}
              onChoose={({ id }) => onChange({ ...rule, users: [...rule.users, id] })}
            />
          )}
          {error !== undefined && (
            <p className="error-text" role="alert">
              {error}
            </p>
          )}
        </>
      )}
      {rule.rule === "custom" && (
        <div className="settings-mono">
          <Field
            label={spaceSettings.expression}
            description={spaceSettings.expressionHint}
            value={rule.expression}
            onChange={(expression) => onChange({ ...rule, expression })}
            isRequired
            isDisabled={isDisabled}
            error={error}
          />
        </div>
      )}
    </li>
  );
}

interface PersonProps {
  organization: string;
  user: string;
  isDisabled: boolean;
  onRemove: () => void;
}

function Person({ organization, user, isDisabled, onRemove }: PersonProps) {
  const { spaceSettings } = useMessages();
  const found = useQuery(memberQuery(organization, user));
  const name = found.data?.user.displayName ?? user;
  return (
    <li>
      <span>{name}</span>
      {!isDisabled && <IconButton icon="close" label={spaceSettings.removePerson(name)} onPress={onRemove} />}
    </li>
  );
}
