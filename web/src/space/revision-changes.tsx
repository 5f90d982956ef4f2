import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";

import { client, data, type Schemas } from "../api/client";
import type { Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useRestorePage } from "../review/revert";
import { Button, Confirm, ErrorState, Loading, notify } from "../ui";
import { Comparison } from "./others";
import { reasonOf } from "./writing";

type SemanticChange = Schemas["RevisionSemanticChange"];

/** The changes that a revision made. */
export const changesQuery = (spaceId: string, revisionId: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "revision", revisionId, "changes"],
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { spaceId, revisionId }, query: { limit: 200 } };
      return data(client.GET("/spaces/{spaceId}/revisions/{revisionId}/changes", { params, signal }));
    },
  });

/** Returns true if a change is about a page. */
export function isOf(change: SemanticChange, page: string): boolean {
  return "page" in change && change.page.id === page;
}

interface ChangesProps {
  place: Place;
  revision: string;
  /** The revision before, if it is known. */
  before: string | undefined;
  isCurrent: boolean;
  /** The page whose changes alone are shown. */
  page: string | undefined;
}

/** The changes of a revision, with a comparison of each page, and the button that restores it. */
export function RevisionChanges({ place, revision, before, isCurrent, page }: ChangesProps) {
  const { space } = useMessages();
  const spaceId = place.space;
  const found = useQuery(changesQuery(spaceId, revision));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { more } = found.data;
  const changes = page === undefined ? found.data.changes : found.data.changes.filter((change) => isOf(change, page));
  return (
    <div className="space-revision-changes">
      {!isCurrent && page === undefined && <Restore spaceId={spaceId} revision={revision} />}
      {changes.length === 0 && <p className="muted">{space.noChanges}</p>}
      <ul>
        {changes.map((change, at) => (
          <ChangeLine key={at} place={place} change={change} from={before} to={revision} isCurrent={isCurrent} isCompared={page !== undefined} />
        ))}
      </ul>
      {more !== undefined && more > 0 && <p className="muted">{space.moreChanges(more)}</p>}
    </div>
  );
}

function subjectOf(change: SemanticChange): string {
  if ("page" in change) return change.page.title;
  if ("file" in change) return change.file.name;
  if ("reusableContent" in change) return change.reusableContent.title;
  return "";
}

interface ChangeLineProps {
  place: Place;
  change: SemanticChange;
  from: string | undefined;
  to: string;
  isCurrent: boolean;
  /** True to show the comparison from the beginning. */
  isCompared: boolean;
}

/** Returns the page that a change is about and the revision in which it has the version that can be restored. */
function restorable({ change, from, to, isCurrent }: ChangeLineProps): { page: string; revision: string } | undefined {
  if (!("page" in change)) return undefined;
  const revision = change.type === "page_deleted" ? from : isCurrent ? undefined : to;
  return revision === undefined ? undefined : { page: change.page.id, revision };
}

function ChangeLine(props: ChangeLineProps) {
  const { place, change, from, to, isCompared } = props;
  const { space } = useMessages();
  const [isOpen, setIsOpen] = useState(isCompared);
  const canEdit = useQuery(spaceQuery(place.space)).data?.permissions.editChangeRequests ?? false;
  const restore = useRestorePage(place);
  const former = canEdit ? restorable(props) : undefined;
  const page = "page" in change && change.page.type === "document" && change.type !== "page_deleted" ? change.page.id : undefined;
  const title = subjectOf(change);
  return (
    <li>
      <div className="row">
        <span className="muted">{space.changeTypes[change.type]}</span>
        <span className="grow">{title}</span>
        {former && (
          <Button kind="quiet" isSmall isPending={restore.isPending} aria-label={`${space.restorePage}: ${title}`} onPress={() => restore.mutate({ ...former, title })}>
            {space.restorePage}
          </Button>
        )}
        {page !== undefined && from !== undefined && (
          <Button kind="quiet" isSmall aria-expanded={isOpen} aria-label={`${isOpen ? space.hideComparison : space.compare}: ${title}`} onPress={() => setIsOpen(!isOpen)}>
            {isOpen ? space.hideComparison : space.compare}
          </Button>
        )}
      </div>
      {isOpen && page !== undefined && from !== undefined && (
        <Suspense fallback={<Loading />}>
          <Comparison place={place} page={page} from={from} to={to} />
        </Suspense>
      )}
    </li>
  );
}

/** The button that makes a revision the main content again. */
function Restore({ spaceId, revision }: { spaceId: string; revision: string }) {
  const { space } = useMessages();
  const cache = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const found = useQuery(spaceQuery(spaceId));
  const restore = useMutation({
    mutationFn: () => data(client.POST("/bindery/spaces/{spaceId}/revert", { params: { path: { spaceId } }, body: { revision } })),
    onSuccess: async () => {
      setIsAsking(false);
      await cache.invalidateQueries({ queryKey: ["space", spaceId] });
      notify(space.restoredSpace, { tone: "success" });
    },
    onError: (error) => {
      setIsAsking(false);
      notify(space.refused(reasonOf(error)), { tone: "danger" });
    },
  });
  if (!found.data?.permissions.edit) return null;
  return (
    <>
      <Button isSmall icon="history" onPress={() => setIsAsking(true)}>
        {space.restore}
      </Button>
      <Confirm
        title={space.restoreTitle}
        action={space.restore}
        isOpen={isAsking}
        isBusy={restore.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => restore.mutate()}
      >
        <p>{space.restoreText}</p>
      </Confirm>
    </>
  );
}
