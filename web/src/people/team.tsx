import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Avatar, Button, Confirm, Dialog, EmptyState, ErrorState, IconButton, Loading, type Command, Menu, notify, Select, TextField } from "../ui";
import { PersonPicker } from "./person-picker";
import { type Team, teamMembersQuery, teamQuery } from "./queries";
import { useChange } from "./use-change";

type TeamRole = Schemas["TeamMemberRole"];

/** A team with its members. */
export function TeamPage({ organization, teamId }: { organization: string; teamId: string }) {
  const { people, shell } = useMessages();
  const [dialog, setDialog] = useState<"rename" | "delete">();
  const found = useQuery(teamQuery(organization, teamId));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const team = found.data;
  const commands: Command[] = [
    { id: "rename", label: shell.rename, icon: "edit", run: () => setDialog("rename") },
    { id: "delete", label: people.deleteTeam, icon: "trash", isDanger: true, run: () => setDialog("delete") },
  ];
  return (
    <>
      <Title>{team.title}</Title>
      <p className="muted">
        <Link href={`/o/${organization}/members/teams`}>{people.teams}</Link>
      </p>
      <header className="page-header">
        <h1>{team.title}</h1>
        <span className="muted">{people.spaceCount(team.spaces)}</span>
        {team.permissions.admin && <Menu label={people.actionsOf(team.title)} commands={commands} />}
      </header>
      <TeamMembers organization={organization} team={team} />
      {dialog === "rename" && <RenameTeam organization={organization} team={team} onClose={() => setDialog(undefined)} />}
      <DeleteTeam organization={organization} team={team} isOpen={dialog === "delete"} onClose={() => setDialog(undefined)} />
    </>
  );
}

function TeamMembers({ organization, team }: { organization: string; team: Team }) {
  const { people, shell } = useMessages();
  const found = useQuery(teamMembersQuery(organization, team.id));
  const canManage = team.permissions.admin;
  const forget = [
    ["org", organization, "team", team.id],
    ["org", organization, "teams"],
  ];
  const path = (userId: string) => ({ params: { path: { organizationId: organization, teamId: team.id, userId } } });
  const set = useChange(
    ({ userId, role }: { userId: string; role: TeamRole }) =>
      data(client.PUT("/orgs/{organizationId}/teams/{teamId}/members/{userId}", { ...path(userId), body: { role } })),
    { forget },
  );
  const remove = useChange(
    ({ userId }: { userId: string; name: string; role: TeamRole }) =>
      data(client.DELETE("/orgs/{organizationId}/teams/{teamId}/members/{userId}", path(userId))),
    {
      forget,
      onDone: (_, { userId, name, role }) => notify(people.leftTeam(name), { action: { label: shell.undo, run: () => set.mutate({ userId, role }) } }),
    },
  );
  const roles = [
    { id: "member" as const, label: people.teamMember },
    { id: "owner" as const, label: people.owner, description: people.ownerHint },
  ];
  return (
    <>
      {canManage && (
        <PersonPicker
          organization={organization}
          label={people.addMember}
          without={(found.data ?? []).map((member) => member.organization.id)}
          onChoose={({ id }) => set.mutate({ userId: id, role: "member" })}
        />
      )}
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <EmptyState title={people.emptyTeam} />}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list people-gap" aria-label={people.teamMembers}>
          {found.data.map(({ organization: { id, user }, team: { role } }) => (
            <li key={id}>
              <Avatar name={user.displayName} url={user.photoURL} />
              <Link href={`/o/${organization}/members/${id}`}>{user.displayName}</Link>
              <span className="grow" />
              {canManage ? (
                <div className="people-role">
                  <Select
                    label={people.roleOf(user.displayName)}
                    isLabelHidden
                    options={roles}
                    value={role}
                    onChange={(changed) => set.mutate({ userId: id, role: changed })}
                  />
                </div>
              ) : (
                <span className="muted">{role === "owner" ? people.owner : people.teamMember}</span>
              )}
              {canManage && (
                <IconButton
                  icon="close"
                  label={people.removeFromTeam(user.displayName)}
                  onPress={() => remove.mutate({ userId: id, name: user.displayName, role })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function RenameTeam({ organization, team, onClose }: { organization: string; team: Team; onClose: () => void }) {
  const { people, shell } = useMessages();
  const [title, setTitle] = useState<string>(team.title);
  const rename = useChange(
    () => {
      const params = { path: { organizationId: organization, teamId: team.id } };
      return data(client.PATCH("/orgs/{organizationId}/teams/{teamId}", { params, body: { title: title.trim() } }));
    },
    {
      forget: [
        ["org", organization, "team", team.id],
        ["org", organization, "teams"],
      ],
      isQuiet: true,
      onDone: onClose,
    },
  );
  return (
    <Dialog title={people.renameTeam} isOpen isBusy={rename.isPending} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <TextField label={people.teamTitle} value={title} onChange={setTitle} autoFocus isRequired error={rename.error?.message} />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={rename.isPending}>
            {shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteTeam({ organization, team, isOpen, onClose }: { organization: string; team: Team; isOpen: boolean; onClose: () => void }) {
  const { people } = useMessages();
  const [, navigate] = useLocation();
  const remove = useChange(
    () => data(client.DELETE("/orgs/{organizationId}/teams/{teamId}", { params: { path: { organizationId: organization, teamId: team.id } } })),
    {
      forget: [["org", organization, "teams"], ["access"]],
      onDone: () => navigate(`/o/${organization}/members/teams`),
    },
  );
  return (
    <Confirm title={people.deleteTeamTitle(team.title)} action={people.deleteTeam} isOpen={isOpen} isBusy={remove.isPending} onClose={onClose} onConfirm={() => remove.mutate()}>
      <p>{people.deleteTeamHint}</p>
    </Confirm>
  );
}
