import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Link } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useLanguage, useMessages } from "../i18n";
import { useRestorePage } from "../review/revert";
import { Avatar, Badge, Button, Confirm, EmptyState, ErrorState, Loading, notify, Time } from "../ui";
import { Comparison } from "./others";
import { reasonOf } from "./writing";

type HistoryEntry = Schemas["SpaceHistoryEntry"];
type SemanticChange = Schemas["RevisionSemanticChange"];

const TONES = { edits: "neutral", merge: "success", update: "info", rollback: "warning", computed: "neutral" } as const;

/** The revisions of a space by days, with what they changed, and a way back to each. */
export function History({ place, revision }: { place: Place; revision: string | undefined }) {
  const { space } = useMessages();
  const { language } = useLanguage();
  const spaceId = place.space;
  const found = useInfiniteQuery({
    queryKey: ["space", spaceId, "history"],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { spaceId }, query: { limit: 50, ...(pageParam !== "" && { page: pageParam }) } };
      return data(client.GET("/bindery/spaces/{spaceId}/history", { params, signal }));
    },
    getNextPageParam: (last) => last.next?.page,
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const known = found.data.pages.flatMap(({ items }) => items);
  // The last one that was read is compared with the one that follows, which is not known yet.
  const entries = found.hasNextPage ? known.slice(0, -1) : known;
  const day = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const days = new Map<string, { entry: HistoryEntry; before: string | undefined; isCurrent: boolean }[]>();
  entries.forEach((entry, at) => {
    const name = day.format(new Date(entry.createdAt));
    const one = { entry, before: known[at + 1]?.revision, isCurrent: at === 0 };
    days.set(name, [...(days.get(name) ?? []), one]);
  });
  return (
    <div className="page">
      <header className="page-header">
        <h1>{space.history}</h1>
      </header>
      {entries.length === 0 && <EmptyState title={space.noHistory} />}
      {[...days].map(([name, list]) => (
        <section key={name} className="space-day">
          <h2>{name}</h2>
          <ol className="list">
            {list.map((one) => (
              <Revision key={one.entry.revision} place={place} {...one} isOpen={one.entry.revision === revision} />
            ))}
          </ol>
        </section>
      ))}
      {found.hasNextPage && (
        <Button onPress={() => void found.fetchNextPage()} isPending={found.isFetchingNextPage}>
          {space.loadMore}
        </Button>
      )}
    </div>
  );
}

interface RevisionProps {
  place: Place;
  entry: HistoryEntry;
  /** The revision before, if it is known. */
  before: string | undefined;
  isCurrent: boolean;
  isOpen: boolean;
}

function messageOf({ message, mergedFrom }: HistoryEntry): string | undefined {
  return message ?? (mergedFrom && (mergedFrom.subject || undefined));
}

/** One revision, with its changes when it is opened. */
function Revision({ place, entry, before, isCurrent, isOpen }: RevisionProps) {
  const { space } = useMessages();
  const { mergedFrom } = entry;
  const message = messageOf(entry);
  const author = entry.author?.displayName ?? mergedFrom?.createdBy.displayName ?? space.system;
  return (
    <li className="space-revision" id={entry.revision}>
      <div className="space-revision-head">
        <Avatar name={author} url={entry.author?.photoURL} />
        <span className="space-revision-text">
          <strong>{message ?? space.kinds[entry.type]}</strong>
          <span className="muted">
            {author}, <Time at={entry.createdAt} />
          </span>
        </span>
        <span className="grow" />
        {isCurrent && <Badge tone="info">{space.current}</Badge>}
        {message !== undefined && <Badge tone={TONES[entry.type]}>{space.kinds[entry.type]}</Badge>}
        {mergedFrom && (
          <Link href={addressOf({ ...place, changeRequest: String(mergedFrom.number) }, "~/review")} className="button button-small button-quiet">
            #{mergedFrom.number}
          </Link>
        )}
        <Link
          href={addressOf(place, isOpen ? "~/history" : `~/history/${entry.revision}`)}
          className="button button-small"
          aria-expanded={isOpen}
          aria-label={`${space.changesOf}: ${message ?? space.kinds[entry.type]}`}
          replace
        >
          {space.changesOf}
        </Link>
      </div>
      {isOpen && <RevisionChanges place={place} revision={entry.revision} before={before} isCurrent={isCurrent} />}
    </li>
  );
}

/** The changes of a revision, with a comparison of each page, and the button that restores it. */
function RevisionChanges({ place, revision, before, isCurrent }: { place: Place; revision: string; before: string | undefined; isCurrent: boolean }) {
  const { space } = useMessages();
  const spaceId = place.space;
  const found = useQuery({
    queryKey: ["space", spaceId, "revision", revision, "changes"],
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { spaceId, revisionId: revision }, query: { limit: 200 } };
      return data(client.GET("/spaces/{spaceId}/revisions/{revisionId}/changes", { params, signal }));
    },
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { changes, more } = found.data;
  return (
    <div className="space-revision-changes">
      {!isCurrent && <Restore spaceId={spaceId} revision={revision} />}
      {changes.length === 0 && <p className="muted">{space.noChanges}</p>}
      <ul>
        {changes.map((change, at) => (
          <ChangeLine key={at} place={place} change={change} from={before} to={revision} isCurrent={isCurrent} />
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
}

/** Returns the page that a change is about and the revision in which it has the version that can be restored. */
function restorable({ change, from, to, isCurrent }: ChangeLineProps): { page: string; revision: string } | undefined {
  if (!("page" in change)) return undefined;
  const revision = change.type === "page_deleted" ? from : isCurrent ? undefined : to;
  return revision === undefined ? undefined : { page: change.page.id, revision };
}

function ChangeLine(props: ChangeLineProps) {
  const { place, change, from, to } = props;
  const { space } = useMessages();
  const [isOpen, setIsOpen] = useState(false);
  const canEdit = useQuery(spaceQuery(place.space)).data?.permissions.edit ?? false;
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
