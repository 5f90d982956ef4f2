import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { all, client, data, type Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { type Chosen, PersonPicker } from "../people/person-picker";
import { type MemberRole, type Role, RoleSelect, useRoleName } from "../people/roles";
import { useChange } from "../people/use-change";
import { Avatar, Button, ErrorState, Icon, IconButton, Loading, notify } from "../ui";
import { Part } from "./parts";
import { keyOfSite, pathOf, type SiteRef } from "./queries";

interface Grant {
  kind: Chosen["kind"];
  id: string;
  name: string;
  role: Role;
}

function useGrants(site: SiteRef) {
  return useQuery({
    queryKey: [...keyOfSite(site), "grants"],
    queryFn: async (): Promise<Grant[]> => {
      const read = (page: string | undefined) => ({ params: { path: pathOf(site), query: { limit: 100, ...(page && { page }) } } });
      const [teams, users] = await Promise.all([
        all<Schemas["TeamSitePermissionOverride"]>((page) => data(client.GET("/orgs/{organizationId}/sites/{siteId}/permissions/teams", read(page)))),
        all<Schemas["UserSitePermissionOverride"]>((page) => data(client.GET("/orgs/{organizationId}/sites/{siteId}/permissions/users", read(page)))),
      ]);
      return [
        ...teams.map(({ permission, team }) => ({ kind: "team" as const, id: team.id, name: team.title, role: permission })),
        ...users.map(({ permission, user }) => ({ kind: "person" as const, id: user.id, name: user.displayName, role: permission })),
      ];
    },
  });
}

/** The people and teams with a role on a site. */
export default function SitePeople({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const found = useGrants(site);
  return (
    <>
      <Part title={sites.grants} hint={sites.grantsHint}>
        <NewGrant site={site} without={(found.data ?? []).map(({ id }) => id)} />
        {found.isPending && <Loading />}
        {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
        {found.data?.length === 0 && <p className="muted">{sites.noGrants}</p>}
        {found.isSuccess && found.data.length > 0 && (
          <ul className="list">
            {found.data.map((grant) => (
              <GrantRow key={grant.id} site={site} grant={grant} />
            ))}
          </ul>
        )}
      </Part>
      <Everyone site={site} />
    </>
  );
}

/** Returns a change that gives a role in place of an earlier one. */
function useGrant(site: SiteRef) {
  return useChange(
    ({ kind, id, role }: Pick<Grant, "kind" | "id"> & { role: MemberRole }) => {
      const path = pathOf(site);
      const body = { role };
      if (kind === "team") return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", { params: { path: { ...path, teamId: id } }, body }));
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", { params: { path: { ...path, userId: id } }, body }));
    },
    { forget: [[...keyOfSite(site), "grants"], [...keyOfSite(site), "everyone"]] },
  );
}

function NewGrant({ site, without }: { site: SiteRef; without: readonly string[] }) {
  const { sites, people } = useMessages();
  const [role, setRole] = useState<Role>("edit");
  const grant = useGrant(site);
  return (
    <div className="sites-inline">
      <RoleSelect label={people.role} value={role} onChange={setRole} />
      <PersonPicker
        organization={site.organization}
        label={sites.giveRole}
        hasTeams
        without={without}
        onChoose={({ kind, id, name }) =>
          role !== null && grant.mutate({ kind, id, role }, { onSuccess: () => notify(people.roleChanged(name, people.roles[role]), { tone: "success" }) })
        }
      />
    </div>
  );
}

function GrantRow({ site, grant }: { site: SiteRef; grant: Grant }) {
  const { sites, people, shell } = useMessages();
  const change = useGrant(site);
  const { kind, id, name, role } = grant;
  const remove = useChange(
    () => {
      const path = pathOf(site);
      if (kind === "team") return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", { params: { path: { ...path, teamId: id } } }));
      return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", { params: { path: { ...path, userId: id } } }));
    },
    {
      forget: [[...keyOfSite(site), "grants"], [...keyOfSite(site), "everyone"]],
      onDone: () => notify(sites.removed(name), { ...(role && { action: { label: shell.undo, run: () => change.mutate({ kind, id, role }) } }) }),
    },
  );
  return (
    <li className="sites-wrap">
      {kind === "team" ? <Icon name="members" /> : <Avatar name={name} />}
      <span className="grow sites-name">{name}</span>
      <div className="people-role">
        <RoleSelect label={people.roleOf(name)} isLabelHidden value={role} onChange={(changed) => changed && change.mutate({ kind, id, role: changed })} />
      </div>
      <IconButton icon="trash" label={sites.removeNamed(name)} onPress={() => remove.mutate()} />
    </li>
  );
}

/** All people with a role on the site, from wherever they have it. */
function Everyone({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const roleName = useRoleName();
  const [isOpen, setIsOpen] = useState(false);
  const found = useQuery({
    queryKey: [...keyOfSite(site), "everyone"],
    enabled: isOpen,
    queryFn: () =>
      all<Schemas["UserSitePermission"]>((page) => {
        const params = { path: pathOf(site), query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/sites/{siteId}/permissions/aggregate", { params }));
      }),
  });
  return (
    <Part title={sites.everyone} hint={sites.everyoneHint}>
      {!isOpen && <Button onPress={() => setIsOpen(true)}>{sites.showEveryone}</Button>}
      {isOpen && found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && (
        <ul className="list">
          {found.data.map(({ user, permission, origin }) => (
            <li key={user.id} className="sites-wrap">
              <Avatar name={user.displayName} url={user.photoURL} />
              <span className="grow sites-name">{user.displayName}</span>
              <span className="muted">{origin.type === "organization" ? sites.fromOrganization : sites.fromGrant}</span>
              <span>{roleName(permission)}</span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}
