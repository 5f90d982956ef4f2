import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, pagesQuery, type Place } from "../api/place";
import { useLanguage, useMessages } from "../i18n";
import { Avatar, Badge, Button, EmptyState, ErrorState, Loading, Time } from "../ui";
import { changesQuery, isOf, RevisionChanges } from "./revision-changes";
import { indexOf } from "./tree";

type HistoryEntry = Schemas["SpaceHistoryEntry"];

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
  const page = new URLSearchParams(useSearch()).get("page") ?? undefined;
  const title = useQuery({ ...pagesQuery(place), enabled: page !== undefined, select: (pages) => indexOf(pages).get(page ?? "")?.page.title }).data;
  const { isShown, isReading } = useChangesOf(spaceId, page, found.data?.pages.flatMap(({ items }) => items) ?? NONE);
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const known = found.data.pages.flatMap(({ items }) => items);
  // The last one that was read is compared with the one that follows, which is not known yet.
  const entries = found.hasNextPage ? known.slice(0, -1) : known;
  const day = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const days = new Map<string, { entry: HistoryEntry; before: string | undefined; isCurrent: boolean }[]>();
  entries.forEach((entry, at) => {
    if (!isShown(entry)) return;
    const name = day.format(new Date(entry.createdAt));
    const one = { entry, before: known[at + 1]?.revision, isCurrent: at === 0 };
    days.set(name, [...(days.get(name) ?? []), one]);
  });
  return (
    <div className="page">
      <header className="page-header">
        <h1>{page === undefined ? space.history : space.historyOf(title ?? space.untitled)}</h1>
        {page !== undefined && (
          <Link href={addressOf(place, "~/history")} className="button">
            {space.wholeHistory}
          </Link>
        )}
      </header>
      {isReading && <Loading />}
      {days.size === 0 && !isReading && <EmptyState title={space.noHistory} />}
      {[...days].map(([name, list]) => (
        <section key={name} className="space-day">
          <h2>{name}</h2>
          <ol className="list">
            {list.map((one) => (
              <Revision key={one.entry.revision} place={place} {...one} page={page} isOpen={one.entry.revision === revision} />
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
  /** The page whose history is shown; absent for the space. */
  page: string | undefined;
  isOpen: boolean;
}

const NONE: HistoryEntry[] = [];

/** Returns a function that tells whether a revision is part of the history of a page, and whether that is still being read. */
function useChangesOf(spaceId: string, page: string | undefined, entries: readonly HistoryEntry[]): { isShown: (entry: HistoryEntry) => boolean; isReading: boolean } {
  const found = useQueries({ queries: page === undefined ? [] : entries.map(({ revision }) => changesQuery(spaceId, revision)) });
  const shown = new Set(
    entries.flatMap(({ revision }, at) => {
      const { changes = [], more = 0 } = found[at]?.data ?? {};
      // A revision whose changes were not all read may have changed the page.
      return page !== undefined && (more > 0 || changes.some((change) => isOf(change, page))) ? [revision] : [];
    }),
  );
  return { isShown: ({ revision }) => page === undefined || shown.has(revision), isReading: found.some(({ isPending }) => isPending) };
}

function messageOf({ message, mergedFrom }: HistoryEntry): string | undefined {
  return message ?? (mergedFrom && (mergedFrom.subject || undefined));
}

/** One revision, with its changes when it is opened. */
function Revision({ place, entry, before, isCurrent, page, isOpen }: RevisionProps) {
  const { space } = useMessages();
  const { mergedFrom } = entry;
  const message = messageOf(entry);
  const search = page === undefined ? "" : `?page=${page}`;
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
          href={addressOf(place, isOpen ? "~/history" : `~/history/${entry.revision}`) + search}
          className="button button-small"
          aria-expanded={isOpen}
          aria-label={`${space.changesOf}: ${message ?? space.kinds[entry.type]}`}
          replace
        >
          {space.changesOf}
        </Link>
      </div>
      {isOpen && <RevisionChanges place={place} revision={entry.revision} before={before} isCurrent={isCurrent} page={page} />}
    </li>
  );
}
