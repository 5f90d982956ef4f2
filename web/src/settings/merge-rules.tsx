import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Form, Part } from "../sites/parts";
import { Button, ErrorState, Loading, notify } from "../ui";
import { refusalOf } from "./refusal";
import { RuleFields } from "./rule-fields";
import { SaveBar } from "./save-bar";

/** The conditions that change requests of all spaces without rules of their own must meet. */
export default function MergeRules({ organization }: { organization: string }) {
  const { settings } = useMessages();
  const found = useQuery(organizationQuery(organization));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <Part title={settings.views["merge-rules"]} hint={settings.rulesHint}>
      <RulesForm organization={found.data} />
    </Part>
  );
}

function RulesForm({ organization }: { organization: Schemas["Organization"] }) {
  const { settings, shell } = useMessages();
  const { id: organizationId, mergeRules } = organization;
  const stored = mergeRules.type === "rules" ? mergeRules.rules : [];
  const [rules, setRules] = useState<readonly Schemas["MergeRule"][]>(stored);
  const save = useChange(
    () => {
      const body = { mergeRules: rules.length > 0 ? { type: "rules" as const, rules: [...rules] } : { type: "none" as const } };
      return data(client.PATCH("/orgs/{organizationId}", { params: { path: { organizationId } }, body }));
    },
    {
      forget: [["org", organizationId]],
      isQuiet: true,
      onDone: (after) => {
        setRules(after.mergeRules.type === "rules" ? after.mergeRules.rules : []);
        notify(settings.saved, { tone: "success" });
      },
    },
  );
  const isChanged = JSON.stringify(rules) !== JSON.stringify(stored);
  const refusal = refusalOf(save.error);
  return (
    <Form onSubmit={() => save.mutate()}>
      <RuleFields
        organization={organizationId}
        rules={rules}
        onChange={(changed) => {
          save.reset();
          setRules(changed);
        }}
      />
      <SaveBar isShown={isChanged || refusal !== undefined} error={refusal?.reason}>
        <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!isChanged}>
          {shell.save}
        </Button>
        <Button
          isDisabled={save.isPending}
          onPress={() => {
            save.reset();
            setRules(stored);
          }}
        >
          {settings.discard}
        </Button>
      </SaveBar>
    </Form>
  );
}
