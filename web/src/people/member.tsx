import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data } from "../api/client";
import { organizationQuery, sessionQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Avatar, Badge, Button, Confirm, ErrorState, Icon, Loading, notify, Time } from "../ui";
import { AccessDialog, type Question } from "./access";
import { useRoleChange } from "./members";
import { MemberTeams } from "./member-teams";
import { type Member, memberQuery, memberSpacesQuery } from "./queries";
import { RoleSelect, useRoleName } from "./roles";
import { useChange } from "./use-change";

interface Props {
  organization: string;
  userId: string;
}

/** A member: their role, the spaces that they reach, and their teams. */
export function MemberPage({ organization, userId }: Props) {
  const { people } = useMessages();
  const found = useQuery(memberQuery(organization, userId));
  const isAdmin = useQuery(organizationQuery(organization)).data?.permissions.admin === true;
  const [question, setQuestion] = useState<Question>();
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const member = found.data;
  const { user } = member;
  return (
    <>
      <Title>{user.displayName}</Title>
      <p className="muted">
        <Link href={`/o/${organization}/members`}>{people.title}</Link>
      </p>
      <header className="page-header">
        <Avatar name={user.displayName} url={user.photoURL} />
        <h1>{user.displayName}</h1>
        {member.disabled && <Badge tone="warning">{people.disabled}</Badge>}
      </header>
      <MemberFacts organization={organization} member={member} isAdmin={isAdmin} />
      <MemberSpaces organization={organization} member={member} onWhy={isAdmin ? setQuestion : undefined} />
      <MemberTeams organization={organization} userId={userId} name={user.displayName} isAdmin={isAdmin} />
      <MemberEnd organization={organization} member={member} isAdmin={isAdmin} />
      <AccessDialog organization={organization} question={question} onClose={() => setQuestion(undefined)} />
    </>
  );
}

function MemberFacts({ organization, member, isAdmin }: { organization: string; member: Member; isAdmin: boolean }) {
  const { people } = useMessages();
  const roleName = useRoleName();
  const change = useRoleChange(organization);
  return (
    <div className="people-facts">
      {isAdmin ? (
        <RoleSelect
          label={people.role}
          hasGuest
          value={member.role}
          onChange={(role) => change.mutate({ member, role })}
          description={people.roleHints[member.role ?? "guest"]}
        />
      ) : (
        <p>
          <strong>{people.role}</strong> {roleName(member.role)}
        </p>
      )}
      <dl className="people-list">
        {member.user.email && (
          <>
            <dt>{people.mail}</dt>
            <dd>
              <a href={`mailto:${member.user.email}`}>{member.user.email}</a>
            </dd>
          </>
        )}
        <dt>{people.joined}</dt>
        <dd>
          <Time at={member.joinedAt} />
        </dd>
        <dt>{people.lastSeen}</dt>
        <dd>{member.lastSeenAt ? <Time at={member.lastSeenAt} /> : people.never}</dd>
      </dl>
    </div>
  );
}

interface SpacesProps {
  organization: string;
  member: Member;
  onWhy: ((question: Question) => void) | undefined;
}

function MemberSpaces({ organization, member, onWhy }: SpacesProps) {
  const { people, shell } = useMessages();
  const roleName = useRoleName();
  const found = useQuery(memberSpacesQuery(organization, member.id));
  const spaces = (found.data ?? []).filter(({ space }) => !space.deletedAt);
  return (
    <section className="page-section" aria-labelledby="member-spaces">
      <h2 id="member-spaces">{people.spacesReached}</h2>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && spaces.length === 0 && <p className="muted">{people.noSpacesReached}</p>}
      {spaces.length > 0 && (
        <ul className="list">
          {spaces.map(({ space, permission }) => (
            <li key={space.id}>
              <Icon name="space" />
              <Link href={`/o/${organization}/s/${space.id}`}>{space.title || shell.untitled}</Link>
              <span className="grow" />
              <span>{roleName(permission)}</span>
              {onWhy && (
                <Button
                  isSmall
                  aria-label={people.whyOn(space.title)}
                  onPress={() => onWhy({ user: member.id, name: member.user.displayName, resource: space.id, title: space.title })}
                >
                  {people.why}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function MemberEnd({ organization, member, isAdmin }: { organization: string; member: Member; isAdmin: boolean }) {
  const { people, shell } = useMessages();
  const [, navigate] = useLocation();
  const [isRemoving, setIsRemoving] = useState(false);
  const own = useQuery(sessionQuery).data?.user.id === member.id;
  const forget = [["org", organization, "members"], ["org", organization, "member", member.id], ["access"]];
  const path = { organizationId: organization, userId: member.id };
  const name = member.user.displayName;
  const disable = useChange(
    (disabled: boolean) => data(client.PATCH("/bindery/orgs/{organizationId}/members/{userId}", { params: { path }, body: { disabled } })),
    {
      forget,
      onDone: (_, disabled) => {
        const action = { label: shell.undo, run: () => disable.mutate(!disabled) };
        notify(disabled ? people.disabledDone(name) : people.enabledDone(name), { tone: "success", action });
      },
    },
  );
  const remove = useChange(() => data(client.DELETE("/orgs/{organizationId}/members/{userId}", { params: { path } })), {
    forget: [["org", organization, "members"]],
    onDone: () => {
      notify(people.removed(name));
      navigate(own ? "/" : `/o/${organization}/members`);
    },
  });
  if (!isAdmin && !own) return null;
  return (
    <section className="page-section" aria-labelledby="member-end">
      <h2 id="member-end">{people.endAccess}</h2>
      <ul className="list">
        {isAdmin && !own && (
          <li className="people-wrap">
            <span className="grow">{member.disabled ? people.enableHint : people.disableHint}</span>
            <Button isPending={disable.isPending} onPress={() => disable.mutate(!member.disabled)}>
              {member.disabled ? people.enable : people.disable}
            </Button>
          </li>
        )}
        <li className="people-wrap">
          <span className="grow">{own ? people.leaveHint : people.removeHint}</span>
          <Button kind="danger" onPress={() => setIsRemoving(true)}>
            {own ? people.leave : people.remove}
          </Button>
        </li>
      </ul>
      <Confirm
        title={own ? people.leave : people.removeTitle(name)}
        action={own ? people.leave : people.remove}
        isOpen={isRemoving}
        isBusy={remove.isPending}
        onClose={() => setIsRemoving(false)}
        onConfirm={() => remove.mutate()}
      >
        <p>{own ? people.leaveHint : people.removeHint}</p>
      </Confirm>
    </section>
  );
}
