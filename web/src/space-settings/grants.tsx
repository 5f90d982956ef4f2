import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { useMessages } from "../i18n";
import { PersonPicker } from "../people/person-picker";
import { type MemberRole, type Role, RoleSelect, useRoleName } from "../people/roles";
import { useChange } from "../people/use-change";
import { Avatar, Badge, ErrorState, Icon, IconButton, Loading, notify } from "../ui";
import { accessKey, addGrant, changeGrant, type Grantee, removeGrant, type Resource, teamGrantsQuery, userGrantsQuery } from "./access-api";
import { FormError } from "./parts";
import { refusalOf } from "./refusal";

interface Props {
  organization: string;
  resource: Resource;
  isAdmin: boolean;
}

interface Grant extends Grantee {
  role: MemberRole;
  detail: string | undefined;
  photo?: string | undefined;
}

/** A change of the grant of a person or a team; `role` is absent to end it. */
interface GrantChange {
  grantee: Grantee;
  role: MemberRole | undefined;
  /** The role before; absent if there was no grant. */
  before: MemberRole | undefined;
  isUndo?: boolean;
}

/** Returns a change of grants that can be taken back. */
function useGrantChange(resource: Resource) {
  const { spaceSettings, shell } = useMessages();
  const roleName = useRoleName();
  const change = useChange(
    ({ grantee, role, before }: GrantChange) => {
      if (role === undefined) return removeGrant(resource, grantee);
      return before === undefined ? addGrant(resource, grantee, role) : changeGrant(resource, grantee, role);
    },
    {
      forget: [accessKey(resource), ["access"]],
      isQuiet: true,
      onDone: (_, { grantee, role, before, isUndo }) => {
        if (isUndo) return;
        const text = role === undefined ? spaceSettings.access.removed(grantee.name) : spaceSettings.access.added(grantee.name, roleName(role));
        const action = { label: shell.undo, run: () => change.mutate({ grantee, role: before, before: role, isUndo: true }) };
        notify(text, { tone: "success", action });
      },
    },
  );
  return change;
}

/** The people and teams with grants on something, and the way to add some. */
export function Grants({ organization, resource, isAdmin }: Props) {
  const { spaceSettings } = useMessages();
  const [newRole, setNewRole] = useState<Role>("edit");
  const users = useQuery(userGrantsQuery(resource));
  const teams = useQuery(teamGrantsQuery(resource));
  const change = useGrantChange(resource);
  const failed = [users, teams].find(({ isError }) => isError);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!users.data || !teams.data) return <Loading />;
  const grants: Grant[] = [
    ...teams.data.map(({ team, permission }) => ({ kind: "team" as const, id: team.id, name: team.title, role: permission, detail: undefined })),
    ...users.data.map(({ user, permission }) => ({
      kind: "person" as const,
      id: user.id,
      name: user.displayName,
      role: permission,
      detail: user.email,
      photo: user.photoURL,
    })),
  ];
  return (
    <>
      {isAdmin && (
        <div className="settings-add">
          <PersonPicker
            organization={organization}
            label={spaceSettings.access.add}
            hasTeams
            without={grants.map(({ id }) => id)}
            onChoose={(grantee) => change.mutate({ grantee, role: newRole ?? "read", before: undefined })}
          />
          <RoleSelect label={spaceSettings.access.addRole} value={newRole} onChange={setNewRole} />
        </div>
      )}
      <FormError>{refusalOf(change.error)?.reason}</FormError>
      {grants.length === 0 && <p className="muted">{spaceSettings.access.noGrants}</p>}
      {grants.length > 0 && (
        <ul className="list">
          {grants.map((grant) => (
            <GrantItem
              key={`${grant.kind} ${grant.id}`}
              organization={organization}
              grant={change.isPending && change.variables.grantee.id === grant.id && change.variables.role ? { ...grant, role: change.variables.role } : grant}
              isAdmin={isAdmin}
              onChange={(role) => change.mutate({ grantee: grant, role, before: grant.role })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface ItemProps {
  organization: string;
  grant: Grant;
  isAdmin: boolean;
  /** Called with another role, or without one to end the grant. */
  onChange: (role: MemberRole | undefined) => void;
}

function GrantItem({ organization, grant, isAdmin, onChange }: ItemProps) {
  const { spaceSettings, people } = useMessages();
  const roleName = useRoleName();
  const { kind, id, name, role, detail, photo } = grant;
  return (
    <li>
      {kind === "team" ? <Icon name="members" /> : <Avatar name={name} url={photo} />}
      <span className="people-who-text grow">
        <span className="row">
          <Link href={kind === "team" ? `/o/${organization}/members/teams/${id}` : `/o/${organization}/members/${id}`} className="people-break">
            {name}
          </Link>
          {kind === "team" && <Badge>{spaceSettings.access.team}</Badge>}
        </span>
        {detail && <small className="muted people-break">{detail}</small>}
      </span>
      {isAdmin ? (
        <>
          <div className="people-role">
            <RoleSelect label={people.roleOf(name)} isLabelHidden value={role} onChange={(next) => next !== null && onChange(next)} />
          </div>
          <IconButton icon="trash" label={spaceSettings.access.removeOf(name)} onPress={() => onChange(undefined)} />
        </>
      ) : (
        roleName(role)
      )}
    </li>
  );
}
