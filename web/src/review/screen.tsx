import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, changeRequestQuery, pagesQuery } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { indexOf } from "../space/tree";
import { Confirm, EmptyState, ErrorState, Loading } from "../ui";
import { type ChangePlace, useDiscard } from "./actions";
import { Change } from "./change";
import { Choice } from "../ui/choice";
import { commentsQuery } from "./comment-queries";
import { Comments } from "./comments";
import { Conflicts } from "./conflicts";
import { Contents, isShown, showChange } from "./contents";
import type { Difference } from "./difference";
import type { Mode } from "./document";
import { Overview } from "./overview";
import { placedComments, placedIds } from "./placed";
import { differencesQuery, MAX_DIFFERENCES } from "./queries";
import { Reviews } from "./reviews";
import { idOf, useSeen } from "./seen";
import { ThreadsContext } from "./thread";
import { TitlesContext } from "./versions";

const MODE = "bindery.review-mode";

function storedMode(): Mode {
  return localStorage.getItem(MODE) === "sides" ? "sides" : "inline";
}

/** The widths at which the list of changed items stands above the changes, as in the style sheet. */
const NARROW = "(max-width: 60rem)";

/** Returns true if two versions do not fit beside each other. */
function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const change = () => setIsNarrow(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

/** Moves the focus to the next or the previous change by the keys j and k. */
function useChangeKeys(root: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if ((event.key !== "j" && event.key !== "k") || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.closest("input:not([type=checkbox]), textarea, [contenteditable], [role=dialog], [role=menu], [role=listbox]")) return;
      const stops = [...(root.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
      const focused = stops.findLastIndex((stop) => stop.contains(document.activeElement));
      const next = stops[focused < 0 ? (event.key === "j" ? 0 : -1) : focused + (event.key === "j" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: next.classList.contains("review-row") ? "center" : "start" });
    };
    addEventListener("keydown", move);
    return () => removeEventListener("keydown", move);
  }, [root]);
}

/** Reads the changes of a change request, one part after the other. */
function useDifferences(place: ChangePlace, row: Schemas["ChangeRequest"] | undefined) {
  const [base, head] = [row?.revisionMergedAncestor ?? row?.revisionInitial, row?.revision];
  const found = useInfiniteQuery(differencesQuery(place, base === undefined || head === undefined ? undefined : { base, head }));
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = found;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const differences = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? NONE, [data]);
  return { ...found, differences, revisions: data?.pages[0]?.revisions };
}

/** The review of a change request: its changes, its conflicts, and the opinions on it. */
export function Screen({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const found = useQuery(changeRequestQuery(place.space, place.changeRequest));
  const row = found.data;
  const changes = useDifferences(place, row);
  const { differences, revisions } = changes;
  const permissions = useQuery(spaceQuery(place.space)).data?.permissions;
  const canWrite = permissions?.comment ?? false;
  const { seen, mark } = useSeen(place, differences);
  const root = useRef<HTMLDivElement>(null);
  const [mode, setMode] = useState(storedMode);
  const isNarrow = useIsNarrow();
  const [discarded, setDiscarded] = useState<Difference>();
  const discard = useDiscard(place);
  const [, navigate] = useLocation();
  const comments = useQuery(commentsQuery(place, undefined, "open"));
  const placed = useMemo(() => placedComments(differences, comments.data ?? []), [differences, comments.data]);
  const threads = useMemo(() => ({ placed, canWrite }), [placed, canWrite]);
  const pages = useQuery(pagesQuery(place));
  const titleOf = useMemo(() => {
    const index = indexOf(pages.data ?? []);
    const titles = new Map(differences.map(({ id, title }) => [id, title]));
    return (page: string) => index.get(page)?.page.title ?? titles.get(page);
  }, [pages.data, differences]);
  useChangeKeys(root);
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!row) return <Loading />;
  const isActive = row.status === "draft" || row.status === "open";
  const canEdit = isActive && (permissions?.editChangeRequests ?? false);
  return (
    <TitlesContext value={titleOf}>
      <div className="review" ref={root}>
        <Title>{row.subject || review.untitled}</Title>
        <h1 className="visually-hidden">{row.subject || review.untitled}</h1>
        <Contents differences={differences} seen={seen} placed={placed} isFolded={isNarrow} />
        <div className="review-main">
          <Overview place={place} row={row} canEdit={canEdit} />
          <Conflicts place={place} canResolve={canEdit} differences={differences} />
          <section className="page-section" aria-labelledby="changes">
            <header className="review-section-head">
              <h2 id="changes">{review.changes}</h2>
              <span className="muted" role="status">
                {differences.length > 0 && review.seenCount(seen.size, differences.length)}
              </span>
              <span className="grow" />
              <span className="muted review-keys">
                <kbd className="keys">j</kbd> <kbd className="keys">k</kbd> {review.keys}
              </span>
              {!isNarrow && (
                <Choice
                  label={review.mode}
                  value={mode}
                  options={[
                    { id: "inline", label: review.inline },
                    { id: "sides", label: review.sides },
                  ]}
                  onChange={(next) => {
                    localStorage.setItem(MODE, next);
                    setMode(next);
                  }}
                />
              )}
            </header>
            {changes.isPending && <Loading />}
            {changes.isSuccess && differences.length === 0 && <EmptyState title={review.noChanges}>{review.noChangesHint}</EmptyState>}
            {differences.length >= MAX_DIFFERENCES && <p className="muted">{review.tooMany(MAX_DIFFERENCES)}</p>}
            <ThreadsContext value={threads}>
              {revisions &&
                differences.map((difference, at) => (
                  <Change
                    key={idOf(difference)}
                    place={place}
                    difference={difference}
                    revisions={revisions}
                    mode={isNarrow ? "inline" : mode}
                    isEager={at < EAGER_CHANGES}
                    isSeen={seen.has(idOf(difference))}
                    onSeen={mark}
                    onDiscard={canEdit && difference.kind === "page" ? setDiscarded : undefined}
                  />
                ))}
            </ThreadsContext>
            {changes.isFetchingNextPage && <Loading />}
            {changes.isError && <ErrorState error={changes.error} onRetry={() => void (changes.hasNextPage ? changes.fetchNextPage() : changes.refetch())} />}
          </section>
          <section className="page-section" aria-labelledby="comments">
            <h2 id="comments">{review.comments}</h2>
            <Comments place={place} without={placedIds(placed)} onShow={({ page }) => (isShown(page) ? showChange(page) : navigate(addressOf(place, page)))} />
          </section>
          <Reviews place={place} canReview={isActive && (permissions?.review ?? false)} />
        </div>
        <Confirm
          title={review.discardAction}
          action={review.discardAction}
          isOpen={discarded !== undefined}
          isBusy={discard.isPending}
          onClose={() => setDiscarded(undefined)}
          onConfirm={() => discarded && discard.mutate({ page: discarded.id, title: discarded.title }, { onSettled: () => setDiscarded(undefined) })}
        >
          <p>{review.discardText(discarded?.title ?? "")}</p>
        </Confirm>
      </div>
    </TitlesContext>
  );
}

const NONE: Difference[] = [];
/** Number of changed items whose changes are shown at once, before people scroll to them. */
const EAGER_CHANGES = 12;
