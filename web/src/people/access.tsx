import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { collectionsQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Badge, Dialog, ErrorState, Loading } from "../ui";
import { accessQuery, teamsQuery } from "./queries";
import { useRoleName } from "./roles";

type Source = Schemas["PermissionSource"];

/** A person and the thing on which their permission is explained. */
export interface Question {
  user: string;
  name: string;
  resource: string;
  /** The title of the thing. */
  title: string;
}

interface Props {
  organization: string;
  question: Question | undefined;
  onClose: () => void;
}

/** The window that explains the permission of a person by all of its sources. */
export function AccessDialog({ organization, question, onClose }: Props) {
  const { people } = useMessages();
  return (
    <Dialog title={question ? people.accessTitle(question.name, question.title) : ""} isOpen={question !== undefined} onClose={onClose}>
      {question && <Explanation organization={organization} question={question} />}
    </Dialog>
  );
}

function Explanation({ organization, question }: { organization: string; question: Question }) {
  const { people } = useMessages();
  const roleName = useRoleName();
  const found = useQuery(accessQuery(question.user, question.resource));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { permission, sources } = found.data;
  return (
    <>
      <p>{permission === null ? people.noAccess(question.name) : people.hasRole(question.name, roleName(permission))}</p>
      {sources.length > 0 && (
        <>
          <p className="hint-text">{people.sourcesHint}</p>
          <Sources organization={organization} sources={sources} />
        </>
      )}
    </>
  );
}

/** The list of the sources of a permission. */
export function Sources({ organization, sources }: { organization: string; sources: readonly Source[] }) {
  const { people } = useMessages();
  const roleName = useRoleName();
  const sourceName = useSourceName(organization);
  return (
    <ul className="list people-sources">
      {sources.map((source, at) => (
        <li key={at} data-decides={source.decides || undefined}>
          <span className="grow">{sourceName(source)}</span>
          <span>{source.role === undefined ? people.noRole : roleName(source.role)}</span>
          {source.decides && <Badge tone="success">{people.decides}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** Returns a function that names the source of a permission. */
export function useSourceName(organization: string): (source: Source) => string {
  const { people } = useMessages();
  const spaces = useQuery(spacesQuery(organization));
  const collections = useQuery(collectionsQuery(organization));
  const teams = useQuery(teamsQuery(organization));
  const titleOf = (list: { id: string; title: string }[] | undefined, id: string) => list?.find((one) => one.id === id)?.title ?? id;
  return (source) => {
    const { type, team, space, collection } = source;
    const place =
      space !== undefined
        ? people.onSpace(titleOf(spaces.data, space))
        : collection !== undefined
          ? people.onCollection(titleOf(collections.data, collection))
          : people.onOrganization;
    switch (type) {
      case "member-role":
        return people.sourceMemberRole;
      case "organization-default":
        return people.sourceOrganization;
      case "default-level":
        return people.sourceDefault(place);
      case "user":
        return people.sourceUser(place);
      case "team":
        return people.sourceTeam(team === undefined ? "" : titleOf(teams.data, team), place);
    }
  };
}
