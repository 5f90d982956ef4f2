import "./people.css";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from "react-aria-components";

import { useMessages } from "../i18n";
import { Avatar, Icon } from "../ui";
import { foundMembersQuery, teamsQuery } from "./queries";

/** A person or a team that was chosen. */
export interface Chosen {
  kind: "person" | "team";
  id: string;
  name: string;
}

interface Props {
  organization: string;
  label: string;
  /** True to offer teams before people. */
  hasTeams?: boolean;
  /** The ids of those who are not offered. */
  without?: readonly string[];
  onChoose: (chosen: Chosen) => void;
  placeholder?: string;
}

interface Offered extends Chosen {
  detail: string;
}

/** A field that finds people of the organization, and teams, by their names. */
export function PersonPicker({ organization, label, hasTeams, without = [], onChoose, placeholder }: Props) {
  const { people } = useMessages();
  const [text, setText] = useState("");
  const hasText = text.trim() !== "";
  const asked = useDeferredValue(text.trim());
  const members = useQuery({ ...foundMembersQuery(organization, asked), placeholderData: keepPreviousData });
  const teams = useQuery({ ...teamsQuery(organization), enabled: hasTeams === true });
  const lower = asked.toLocaleLowerCase();
  const offered: Offered[] = [
    ...(hasTeams ? (teams.data ?? []) : [])
      .filter(({ title }) => title.toLocaleLowerCase().includes(lower))
      .slice(0, 10)
      .map(({ id, title, members: count }) => ({ kind: "team" as const, id, name: title, detail: people.memberCount(count) })),
    ...(members.data ?? []).map(({ user }) => ({ kind: "person" as const, id: user.id, name: user.displayName, detail: user.email ?? "" })),
  ].filter(({ id }) => !without.includes(id));
  return (
    <ComboBox
      className="field"
      // Nothing is offered for an empty text, so that the list stays closed after a choice.
      items={hasText ? offered : []}
      inputValue={text}
      onInputChange={setText}
      value={null}
      menuTrigger="input"
      allowsEmptyCollection={hasText}
      onChange={(key) => {
        // Without a key, the person left the field or pressed Escape.
        setText("");
        const chosen = offered.find(({ id }) => id === key);
        if (chosen) onChoose(chosen);
      }}
    >
      <Label>{label}</Label>
      <Input className="input" placeholder={placeholder ?? (hasTeams ? people.findPersonOrTeam : people.findPerson)} />
      <Popover className="popover">
        <ListBox<Offered> className="menu" renderEmptyState={() => <p className="people-none">{people.nobodyFound}</p>}>
          {({ id, kind, name, detail }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item people-offer">
              {kind === "team" ? <Icon name="members" /> : <Avatar name={name} />}
              <Text slot="label">{name}</Text>
              <Text slot="description">{detail}</Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
