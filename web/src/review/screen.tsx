import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { changeRequestQuery } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Confirm, EmptyState, ErrorState, Icon, Loading } from "../ui";
import { type ChangePlace, useDiscard } from "./actions";
import { Change } from "./change";
import { Choice } from "./choice";
import { Comments, type CommentTarget } from "./comments";
import { Conflicts } from "./conflicts";
import type { Difference } from "./difference";
import type { Mode } from "./document";
import { Overview } from "./overview";
import { differencesQuery, MAX_DIFFERENCES } from "./queries";
import { Reviews } from "./reviews";
import { idOf, useSeen } from "./seen";

const MODE = "bindery.review-mode";

function storedMode(): Mode {
  return localStorage.getItem(MODE) === "sides" ? "sides" : "inline";
}

/** Returns true if two versions do not fit beside each other. */
function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia("(max-width: 48rem)").matches);
  useEffect(() => {
    const query = matchMedia("(max-width: 48rem)");
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

/** The review of a change request: its changes, its conflicts, and the opinions on it. */
export function Screen({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const found = useQuery(changeRequestQuery(place.space, place.changeRequest));
  const row = found.data;
  const changes = useQuery(differencesQuery(place, row?.revision ?? ""));
  const permissions = useQuery(spaceQuery(place.space)).data?.permissions;
  const differences = changes.data ?? NONE;
  const { seen, mark } = useSeen(place, differences);
  const root = useRef<HTMLDivElement>(null);
  const [mode, setMode] = useState(storedMode);
  const isNarrow = useIsNarrow();
  const [target, setTarget] = useState<CommentTarget>();
  const [discarded, setDiscarded] = useState<Difference>();
  const discard = useDiscard(place);
  const comments = useRef<HTMLElement>(null);
  useChangeKeys(root);
  const comment = useCallback((difference: Difference, node: string, excerpt: string) => {
    setTarget({ page: difference.id, node, excerpt });
    requestAnimationFrame(() => {
      comments.current?.scrollIntoView({ block: "nearest" });
      comments.current?.querySelector("textarea")?.focus();
    });
  }, []);
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!row) return <Loading />;
  const isActive = row.status === "draft" || row.status === "open";
  const canEdit = isActive && (permissions?.edit ?? false);
  const revisions = { base: row.revisionMergedAncestor ?? row.revisionInitial, head: row.revision };
  return (
    <div className="review" ref={root}>
      <Title>{row.subject || review.untitled}</Title>
      <h1 className="visually-hidden">{row.subject || review.untitled}</h1>
      <Contents differences={differences} seen={seen} />
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
          {changes.isError && <ErrorState error={changes.error} onRetry={() => void changes.refetch()} />}
          {changes.isSuccess && differences.length === 0 && <EmptyState title={review.noChanges}>{review.noChangesHint}</EmptyState>}
          {differences.length >= MAX_DIFFERENCES && <p className="muted">{review.tooMany(MAX_DIFFERENCES)}</p>}
          {differences.map((difference) => (
            <Change
              key={idOf(difference)}
              place={place}
              difference={difference}
              revisions={revisions}
              mode={isNarrow ? "inline" : mode}
              isSeen={seen.has(idOf(difference))}
              onSeen={mark}
              onDiscard={canEdit && difference.kind === "page" ? setDiscarded : undefined}
              onComment={permissions?.comment && difference.kind === "page" ? comment : undefined}
            />
          ))}
        </section>
        <section className="page-section" aria-labelledby="comments" ref={comments}>
          <h2 id="comments">{review.comments}</h2>
          <Comments place={place} target={target} onTargetDone={() => setTarget(undefined)} />
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
  );
}

const NONE: Difference[] = [];
const KINDS = ["page", "file", "reusable-content", "variable"] as const;

/** The changed items by kinds, with marks on those that were seen. */
function Contents({ differences, seen }: { differences: readonly Difference[]; seen: ReadonlySet<string> }) {
  const { review, shell } = useMessages();
  const show = (id: string) => {
    const card = document.getElementById(`change-${id}`);
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: "start" });
  };
  return (
    <nav className="review-contents" aria-label={review.changedItems}>
      {KINDS.map((kind) => {
        const items = differences.filter((one) => one.kind === kind);
        if (items.length === 0) return null;
        return (
          <div key={kind}>
            <h2>{review.kinds[kind]}</h2>
            <ul>
              {items.map((difference) => (
                <li key={difference.id}>
                  <button type="button" data-change={difference.change} data-seen={seen.has(idOf(difference)) || undefined} onClick={() => show(difference.id)}>
                    <span className="review-dot" aria-hidden="true" />
                    <span className="review-contents-title">{difference.title || difference.path || shell.untitled}</span>
                    <span className="visually-hidden">{review.changed[difference.change]}</span>
                    {seen.has(idOf(difference)) && (
                      <>
                        <Icon name="check" />
                        <span className="visually-hidden">{review.seen}</span>
                      </>
                    )}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}
