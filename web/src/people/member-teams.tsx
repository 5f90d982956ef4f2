import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { Badge, ErrorState, Icon, IconButton, Loading, Menu, notify } from "../ui";
import { memberTeamsQuery, teamsQuery } from "./queries";
import { useChange } from "./use-change";

interface Props {
  organization: string;
  userId: string;
  name: string;
  isAdmin: boolean;
}

/** The teams of a member, with a menu that adds them to others. */
export function MemberTeams({ organization, userId, name, isAdmin }: Props) {
  const { people, shell } = useMessages();
  const found = useQuery(memberTeamsQuery(organization, userId));
  const teams = useQuery(teamsQuery(organization));
  const forget = [
    ["org", organization, "member", userId],
    ["org", organization, "team"],
    ["org", organization, "teams"],
  ];
  const path = (teamId: string) => ({ params: { path: { organizationId: organization, teamId, userId } } });
  const add = useChange(
    (teamId: string) => data(client.PUT("/orgs/{organizationId}/teams/{teamId}/members/{userId}", { ...path(teamId), body: { role: "member" } })),
    { forget },
  );
  const remove = useChange((teamId: string) => data(client.DELETE("/orgs/{organizationId}/teams/{teamId}/members/{userId}", path(teamId))), {
    forget,
    onDone: (_, teamId) => notify(people.leftTeam(name), { action: { label: shell.undo, run: () => add.mutate(teamId) } }),
  });
  const others = (teams.data ?? []).filter(({ id }) => !(found.data ?? []).some(({ team }) => team.id === id));
  return (
    <section className="page-section" aria-labelledby="member-teams">
      <div className="people-tools">
        <h2 className="grow" id="member-teams">
          {people.teams}
        </h2>
        {isAdmin && others.length > 0 && (
          <Menu label={people.addToTeam} commands={others.map(({ id, title }) => ({ id, label: title, run: () => add.mutate(id) }))}>
            <Icon name="plus" />
            {people.addToTeam}
          </Menu>
        )}
      </div>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <p className="muted">{people.noTeamsOf(name)}</p>}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list">
          {found.data.map(({ team, member }) => (
            <li key={team.id}>
              <Icon name="members" />
              <Link href={`/o/${organization}/members/teams/${team.id}`}>{team.title}</Link>
              {member.role === "owner" && <Badge>{people.owner}</Badge>}
              <span className="grow" />
              {isAdmin && <IconButton icon="close" label={people.removeFrom(team.title)} onPress={() => remove.mutate(team.id)} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
