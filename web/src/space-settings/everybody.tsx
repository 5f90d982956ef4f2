import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useMessages } from "../i18n";
import { AccessDialog, type Question, useSourceName } from "../people/access";
import { More } from "../people/more";
import { type MemberRole, ROLES, useRoleName } from "../people/roles";
import { Part } from "../sites/parts";
import { Avatar, Button, ErrorState, Loading, Select } from "../ui";
import { everybodyQuery, type Resource } from "./access-api";

interface Props {
  organization: string;
  resource: Resource;
  title: string;
}

/** Everybody who has access to something, with the role that counts, its source, and all of its sources on demand. */
export function Everybody({ organization, resource, title }: Props) {
  const { spaceSettings, people } = useMessages();
  const texts = spaceSettings.access;
  const [role, setRole] = useState<MemberRole | "">("");
  const [question, setQuestion] = useState<Question>();
  const roleName = useRoleName();
  const sourceName = useSourceName(organization);
  const found = useInfiniteQuery(everybodyQuery(resource, role));
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const options = [{ id: "" as const, label: people.allRoles }, ...ROLES.map((id) => ({ id, label: people.roles[id] }))];
  const filter = (
    <div className="people-role">
      <Select label={people.filterRole} isLabelHidden options={options} value={role} onChange={setRole} />
    </div>
  );
  return (
    <Part title={texts.all} hint={texts.allHint} actions={filter}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && items.length === 0 && <p className="muted">{texts.nobody}</p>}
      {items.length > 0 && (
        <ul className="list">
          {items.map(({ user, permission, sources = [] }) => {
            const decisive = sources.find(({ decides }) => decides);
            return (
              <li key={user.id} className="people-wrap">
                <Avatar name={user.displayName} url={user.photoURL} />
                <span className="people-who-text grow">
                  <span className="people-break">{user.displayName}</span>
                  {decisive && <small className="muted people-break">{sourceName(decisive)}</small>}
                </span>
                <span>{roleName(permission)}</span>
                <Button
                  kind="quiet"
                  isSmall
                  aria-label={texts.whyOf(user.displayName)}
                  onPress={() => setQuestion({ user: user.id, name: user.displayName, resource: resource.id, title })}
                >
                  {people.why}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
      <More hasNextPage={found.hasNextPage} isFetchingNextPage={found.isFetchingNextPage} fetchNextPage={found.fetchNextPage} />
      <AccessDialog organization={organization} question={question} onClose={() => setQuestion(undefined)} />
    </Part>
  );
}
