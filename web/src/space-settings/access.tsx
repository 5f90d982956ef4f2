import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { collectionsQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { type RoleKey, roleKey, roleOf, ROLES, useRoleName } from "../people/roles";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { notify, type Option, Select } from "../ui";
import { accessKey, type Resource, setDefaultLevel } from "./access-api";
import { Everybody } from "./everybody";
import { Grants } from "./grants";
import { ReadOnly } from "./parts";

type Level = Schemas["DefaultLevel"];
type LevelKey = RoleKey | "inherit";

export interface AccessProps {
  organization: string;
  resource: Resource;
  title: string;
  /** The collection around it, if there is one. */
  parent: string | undefined;
  defaultLevel: Level;
  isAdmin: boolean;
}

/** The access to a space or a collection: the role of all members, the grants, and everybody with their roles. */
export function Access({ organization, resource, title, parent, defaultLevel, isAdmin }: AccessProps) {
  const { spaceSettings } = useMessages();
  return (
    <div>
      {!isAdmin && <ReadOnly />}
      <Part title={spaceSettings.access.everybody} hint={spaceSettings.access.everybodyHint}>
        <div className="sites-narrow">
          <DefaultLevel organization={organization} resource={resource} parent={parent} defaultLevel={defaultLevel} isAdmin={isAdmin} />
        </div>
      </Part>
      <Part title={spaceSettings.access.grants} hint={spaceSettings.access.grantsHint}>
        <Grants organization={organization} resource={resource} isAdmin={isAdmin} />
      </Part>
      <Everybody organization={organization} resource={resource} title={title} />
    </div>
  );
}

function DefaultLevel({ organization, resource, parent, defaultLevel, isAdmin }: Omit<AccessProps, "title">) {
  const { spaceSettings, people, shell } = useMessages();
  const texts = spaceSettings.access;
  const roleName = useRoleName();
  const collections = useQuery(collectionsQuery(organization));
  const nameOf = (level: Level) => (level === "inherit" ? texts.inherit : level === null ? texts.none : roleName(level));
  const change = useChange(({ level }: { level: Level; isUndo?: boolean }) => setDefaultLevel(resource, level), {
    forget: [[resource.kind, resource.id], accessKey(resource), ["access"], ["org", organization, "collections"]],
    onDone: (_, { level, isUndo }) => {
      if (isUndo) return;
      const action = { label: shell.undo, run: () => change.mutate({ level: defaultLevel, isUndo: true }) };
      notify(texts.levelSaved(nameOf(level)), { tone: "success", action });
    },
  });
  const around = parent === undefined ? texts.organization : texts.collection(collections.data?.find(({ id }) => id === parent)?.title ?? "…");
  const options: Option<LevelKey>[] = [
    { id: "inherit", label: texts.inheritFrom(around), description: texts.inheritHint },
    ...ROLES.map((id) => ({ id, label: people.roles[id], description: people.roleHints[id] })),
    { id: "guest", label: texts.none, description: texts.noneHint },
  ];
  const level = change.isPending ? change.variables.level : defaultLevel;
  return (
    <Select
      label={texts.level}
      options={options}
      value={level === "inherit" ? level : roleKey(level)}
      onChange={(key) => change.mutate({ level: key === "inherit" ? key : roleOf(key) })}
      isDisabled={!isAdmin}
    />
  );
}
