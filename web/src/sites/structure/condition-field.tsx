import { useQuery } from "@tanstack/react-query";

import { useMessages } from "../../i18n";
import { Icon, Menu, TextField } from "../../ui";
import { type SiteRef, templateConditionsQuery } from "../queries";

interface Props {
  site: SiteRef;
  value: string;
  onChange: (value: string) => void;
}

/** A field for the condition under which visitors see an item, with conditions that the schema of the site suggests. */
export function ConditionField({ site, value, onChange }: Props) {
  const { sites } = useMessages();
  const templates = useQuery(templateConditionsQuery(site));
  const commands = (templates.data ?? []).map(({ condition, description }) => ({
    id: condition,
    label: description,
    run: () => onChange(condition),
  }));
  return (
    <div className="sites-condition">
      <TextField label={sites.condition} value={value} onChange={onChange} description={sites.conditionHint} placeholder={sites.conditionExample} spellCheck="false" />
      {commands.length > 0 && (
        <Menu label={sites.conditionTemplates} commands={commands}>
          {sites.conditionTemplates}
          <Icon name="down" />
        </Menu>
      )}
    </div>
  );
}
