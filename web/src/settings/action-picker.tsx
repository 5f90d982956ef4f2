import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";

interface Props {
  actions: readonly Schemas["AuditEventAction"][];
  /** The id of the chosen kind; empty for all kinds. */
  value: string;
  onChange: (action: string) => void;
}

/** A field that finds a kind of events by its words. */
export function ActionPicker({ actions, value, onChange }: Props) {
  const { settings } = useMessages();
  const items = [{ id: "", label: settings.allKinds }, ...actions];
  return (
    <ComboBox
      key={`${value}/${actions.length}`}
      className="field"
      defaultItems={items}
      defaultValue={value}
      menuTrigger="focus"
      onChange={(key) => {
        if (key !== null && key !== value) onChange(String(key));
      }}
    >
      <Label>{settings.kind}</Label>
      <Input className="input" placeholder={settings.findKind} onFocus={(event) => event.target.select()} />
      <Popover className="popover">
        <ListBox<Schemas["AuditEventAction"]> className="menu" renderEmptyState={() => <p className="people-none">{settings.noKind}</p>}>
          {({ id, label }) => (
            <ListBoxItem id={id} textValue={label} className="menu-item">
              {label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
