import { type InfiniteData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { Button as AriaButton, Input, SearchField } from "react-aria-components";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { organizationQuery, sessionQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Avatar, Badge, Button, EmptyState, ErrorState, Icon, Loading, notify, Select, Time } from "../ui";
import { InviteDialog } from "./invite";
import { More } from "./more";
import { type Member, type MemberFilter, membersQuery } from "./queries";
import { type Role, ROLES, RoleSelect, useRoleName } from "./roles";

interface Props {
  organization: string;
}

/** The members and guests of an organization, with their roles. */
export function Members({ organization }: Props) {
  const { people } = useMessages();
  const [search, setSearch] = useState("");
  const [filter, setFilter] = useState<Omit<MemberFilter, "search">>({ role: "", sort: "joinedAt", order: "desc" });
  const [isInviting, setIsInviting] = useState(false);
  const asked = useDeferredValue(search.trim());
  const found = useInfiniteQuery(membersQuery(organization, { ...filter, search: asked }));
  const isAdmin = useQuery(organizationQuery(organization)).data?.permissions.admin === true;
  const members = (found.data?.pages ?? []).flatMap(({ items }) => items);
  const count = found.data?.pages[0]?.count;
  const options = [
    { id: "" as const, label: people.allRoles },
    ...ROLES.map((id) => ({ id, label: people.roles[id] })),
    { id: "guest" as const, label: people.roles.guest },
  ];
  return (
    <>
      <div className="people-tools">
        <SearchField className="people-search" aria-label={people.searchMembers} value={search} onChange={setSearch}>
          <Input className="input" placeholder={people.searchMembers} />
        </SearchField>
        <Select label={people.filterRole} isLabelHidden options={options} value={filter.role} onChange={(role) => setFilter({ ...filter, role })} />
        {isAdmin && (
          <Button kind="primary" icon="plus" onPress={() => setIsInviting(true)}>
            {people.invite}
          </Button>
        )}
      </div>
      <p className="visually-hidden" role="status">
        {count === undefined ? "" : people.memberCount(count)}
      </p>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && members.length === 0 && <EmptyState title={people.noMembers} />}
      {members.length > 0 && <MemberTable organization={organization} members={members} isAdmin={isAdmin} filter={filter} onSort={setFilter} />}
      <More hasNextPage={found.hasNextPage} isFetchingNextPage={found.isFetchingNextPage} fetchNextPage={found.fetchNextPage} />
      <InviteDialog organization={organization} isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </>
  );
}

interface TableProps extends Props {
  members: Member[];
  isAdmin: boolean;
  filter: Omit<MemberFilter, "search">;
  onSort: (filter: Omit<MemberFilter, "search">) => void;
}

function MemberTable({ organization, members, isAdmin, filter, onSort }: TableProps) {
  const { people } = useMessages();
  const own = useQuery(sessionQuery).data?.user.id;
  const change = useRoleChange(organization);
  const sorted = (sort: MemberFilter["sort"]) => (filter.sort !== sort ? "none" : filter.order === "asc" ? "ascending" : "descending");
  const header = (sort: MemberFilter["sort"], label: string) => (
    <th scope="col" className="people-wide" aria-sort={sorted(sort)}>
      <AriaButton
        className="people-sort"
        onPress={() => onSort({ ...filter, sort, order: filter.sort === sort && filter.order === "desc" ? "asc" : "desc" })}
      >
        {label}
        <Icon name="down" />
      </AriaButton>
    </th>
  );
  return (
    <table className="table people-table">
      <thead>
        <tr>
          <th scope="col">{people.name}</th>
          <th scope="col">{people.role}</th>
          {header("joinedAt", people.joined)}
          {header("lastSeenAt", people.lastSeen)}
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <tr key={member.id}>
            <td>
              <MemberName organization={organization} member={member} isOwn={member.id === own} />
            </td>
            <td className="people-role">
              <MemberRoleField member={member} isAdmin={isAdmin} onChange={(role) => change.mutate({ member, role })} />
            </td>
            <td className="people-wide muted">
              <Time at={member.joinedAt} />
            </td>
            <td className="people-wide muted">{member.lastSeenAt ? <Time at={member.lastSeenAt} /> : people.never}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function MemberName({ organization, member, isOwn }: { organization: string; member: Member; isOwn: boolean }) {
  const { people } = useMessages();
  const { user, disabled } = member;
  return (
    <div className="people-who">
      <Avatar name={user.displayName} url={user.photoURL} />
      <span className="people-who-text">
        <span className="row">
          <Link href={`/o/${organization}/members/${member.id}`}>{user.displayName}</Link>
          {isOwn && <Badge>{people.you}</Badge>}
          {disabled && <Badge tone="warning">{people.disabled}</Badge>}
        </span>
        {user.email && <small className="muted">{user.email}</small>}
      </span>
    </div>
  );
}

function MemberRoleField({ member, isAdmin, onChange }: { member: Member; isAdmin: boolean; onChange: (role: Role) => void }) {
  const { people } = useMessages();
  const roleName = useRoleName();
  if (!isAdmin) return roleName(member.role);
  return <RoleSelect label={people.roleOf(member.user.displayName)} isLabelHidden hasGuest value={member.role} onChange={onChange} />;
}

interface RoleChange {
  member: Member;
  role: Role;
  /** True for the change that takes another one back. */
  isUndo?: boolean;
}

/** Returns a change of the role of a member. It is shown at once and can be taken back. */
export function useRoleChange(organization: string) {
  const { people, shell } = useMessages();
  const cache = useQueryClient();
  const roleName = useRoleName();
  const lists = ["org", organization, "members"];
  const show = (id: string, role: Role) => {
    const replace = (one: Member) => (one.id === id ? { ...one, role } : one);
    cache.setQueriesData<InfiniteData<{ items: Member[] }>>({ queryKey: lists, predicate: ({ queryKey }) => typeof queryKey[3] === "object" }, (known) =>
      known ? { ...known, pages: known.pages.map((page) => ({ ...page, items: page.items.map(replace) })) } : known,
    );
    cache.setQueryData<Member>(["org", organization, "member", id], (known) => known && replace(known));
  };
  const change = useMutation({
    mutationFn: ({ member, role }: RoleChange) => {
      const params = { path: { organizationId: organization, userId: member.id } };
      return data(client.PATCH("/orgs/{organizationId}/members/{userId}", { params, body: { role } }));
    },
    onMutate: ({ member, role }) => show(member.id, role),
    onSuccess: (_, { member, role, isUndo }) => {
      void cache.invalidateQueries({ queryKey: ["org", organization, "member", member.id] });
      void cache.invalidateQueries({ queryKey: ["access"] });
      if (isUndo) return;
      const action = { label: shell.undo, run: () => change.mutate({ member: { ...member, role }, role: member.role, isUndo: true }) };
      notify(people.roleChanged(member.user.displayName, roleName(role)), { tone: "success", action });
    },
    onError: (error, { member }) => {
      show(member.id, member.role);
      notify(error.message, { tone: "danger" });
    },
  });
  return change;
}
