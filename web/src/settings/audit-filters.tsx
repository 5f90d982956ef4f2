import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { PersonPicker } from "../people/person-picker";
import { memberQuery } from "../people/queries";
import { IconButton, Select, TextField } from "../ui";
import { ActionPicker } from "./action-picker";
import { type Asked, PERIODS } from "./audit-search";

interface Props {
  organization: string;
  asked: Asked;
  actions: readonly Schemas["AuditEventAction"][];
  onChange: (changed: Partial<Asked>) => void;
}

/** The fields that select events of the audit log. */
export function AuditFilters({ organization, asked, actions, onChange }: Props) {
  const { settings } = useMessages();
  return (
    <div className="settings-filters" role="search" aria-label={settings.views.audit}>
      {asked.actor === "" ? (
        <PersonPicker organization={organization} label={settings.person} placeholder={settings.everybody} onChoose={({ id }) => onChange({ actor: id })} />
      ) : (
        <ChosenPerson organization={organization} user={asked.actor} onClear={() => onChange({ actor: "" })} />
      )}
      <ActionPicker actions={actions} value={asked.action} onChange={(action) => onChange({ action })} />
      <Select
        label={settings.period}
        options={PERIODS.map((id) => ({ id, label: settings.periods[id] }))}
        value={asked.period}
        onChange={(period) => onChange({ period })}
      />
      {asked.period === "custom" && (
        <>
          <TextField label={settings.from} type="date" value={asked.from} onChange={(from) => onChange({ from })} />
          <TextField label={settings.to} type="date" value={asked.to} onChange={(to) => onChange({ to })} />
        </>
      )}
      {asked.target !== "" && <Chosen label={settings.onlyOneObject} name={asked.target} onClear={() => onChange({ target: "" })} />}
    </div>
  );
}

function ChosenPerson({ organization, user, onClear }: { organization: string; user: string; onClear: () => void }) {
  const { settings } = useMessages();
  const found = useQuery({ ...memberQuery(organization, user), staleTime: 300_000, enabled: user !== "system" });
  return <Chosen label={settings.person} name={user === "system" ? settings.theServer : (found.data?.user.displayName ?? user)} onClear={onClear} />;
}

/** A chosen filter with the button that takes it away. */
function Chosen({ label, name, onClear }: { label: string; name: string; onClear: () => void }) {
  const { settings } = useMessages();
  return (
    <div className="field">
      <TextField label={label} value={name} isReadOnly />
      <span className="settings-clear">
        <IconButton icon="close" label={settings.removeFilter(label)} onPress={onClear} />
      </span>
    </div>
  );
}
