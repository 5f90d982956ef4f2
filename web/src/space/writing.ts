import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useLocation } from "wouter";

import { ApiError } from "../api/errors";
import { addressOf, changeContent, changeRequestQuery, type ContentChange, keyOf, pagesQuery, type Place, startChangeRequest, type TreePage } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { notify } from "../ui";

/** Returns the tree as it is after a change that the server has not confirmed yet. */
export type Preview = (pages: readonly TreePage[]) => readonly TreePage[];

/** The answer to changes of a content. */
export type Written = Awaited<ReturnType<typeof changeContent>>;

const NONE: readonly Preview[] = [];
const previews = new Map<string, readonly Preview[]>();
const listeners = new Set<() => void>();
/** The last change of each place: changes are sent one after the other. */
const lastChanges = new Map<string, Promise<unknown>>();
/** The change requests that are being started, by spaces, so that two quick changes share one. */
const starting = new Map<string, Promise<Place>>();

function nameOf(place: Place): string {
  return keyOf(place).join("/");
}

function setPreviews(place: Place, change: (shown: readonly Preview[]) => readonly Preview[]): void {
  const name = nameOf(place);
  previews.set(name, change(previews.get(name) ?? NONE));
  for (const listener of listeners) listener();
}

function show(place: Place, preview: Preview): () => void {
  setPreviews(place, (shown) => [...shown, preview]);
  return () => setPreviews(place, (shown) => shown.filter((one) => one !== preview));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the tree with the changes that are on their way to the server. */
export function usePreviewed(place: Place, pages: readonly TreePage[] | undefined): readonly TreePage[] | undefined {
  const shown = useSyncExternalStore(subscribe, () => previews.get(nameOf(place)) ?? NONE);
  return useMemo(() => pages && shown.reduce((tree, preview) => preview(tree), pages), [pages, shown]);
}

function enqueue<T>(place: Place, work: () => Promise<T>): Promise<T> {
  const name = nameOf(place);
  const next = (lastChanges.get(name) ?? Promise.resolve()).then(work, work);
  lastChanges.set(name, next);
  return next;
}

/** Starts a change request that shows what the main content shows, without reading it again. */
async function start(place: Place, page: string | undefined): Promise<Place> {
  const made = await startChangeRequest(place.space);
  const next = { ...place, changeRequest: String(made.number) };
  queries.setQueryData(changeRequestQuery(next.space, next.changeRequest).queryKey, made);
  queries.setQueryData(pagesQuery(next).queryKey, queries.getQueryData(pagesQuery(place).queryKey));
  for (const format of page === undefined ? [] : ["document", "markdown"]) {
    const known: unknown = queries.getQueryData([...keyOf(place), "page", page, format]);
    if (known !== undefined) queries.setQueryData([...keyOf(next), "page", page, format], known);
  }
  void queries.invalidateQueries({ queryKey: ["space", place.space], exact: true });
  return next;
}

/** Returns the reason of a refusal without the location in the request. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^body( at \S+)?: /, "");
}

/** A change of the content, however it is sent. */
interface Step<T> {
  /** Sends the change. The texts of `keptPages` are not read again. */
  send: (place: Place, keptPages: string[]) => Promise<T>;
  preview?: Preview;
  /** The place, if it is another one than that of the view, such as a change request just started. */
  at?: Place;
  /** Shows the reason of a refusal; a notice shows it otherwise. */
  onRefused?: (reason: string) => void;
}

/** Changes of the content in one request. */
export interface Change extends Omit<Step<Written>, "send"> {
  changes: ContentChange[];
}

/** The place of a change that was made, and the answer. */
interface Done<T> {
  place: Place;
  answer: T;
}

/** The functions that change a content. */
export interface Writing {
  /** Returns the place in which editing goes on; it starts a change request in the main content. */
  begin: () => Promise<Place>;
  /** Makes changes and returns the place of the result, or undefined if they are refused. */
  write: (change: Change) => Promise<Done<Written> | undefined>;
  /** Does the same with a change that is sent in another way. */
  run: <T>(step: Step<T>) => Promise<Done<T> | undefined>;
}

/** Returns the functions that change the content of a place while a page of it is open. */
export function useWriting(place: Place, openPage: string | undefined): Writing {
  const { space, shell } = useMessages();
  const [, navigate] = useLocation();

  const begin = useCallback(async () => {
    if (place.changeRequest !== undefined) return place;
    const known = starting.get(place.space);
    if (known) return known;
    const next = start(place, openPage);
    starting.set(place.space, next);
    try {
      const made = await next;
      navigate(addressOf(made, openPage));
      notify(space.begun(made.changeRequest ?? ""));
      return made;
    } finally {
      starting.delete(place.space);
    }
  }, [place, openPage, navigate, space]);

  const run = useCallback(
    async function attempt<T>(step: Step<T>): Promise<Done<T> | undefined> {
      const { send, preview, at, onRefused } = step;
      const shownAt = at ?? place;
      let hide = preview ? show(shownAt, preview) : () => {};
      try {
        const target = at ?? (await begin());
        if (preview && nameOf(target) !== nameOf(shownAt)) {
          hide();
          hide = show(target, preview);
        }
        const answer = await enqueue(target, () => send(target, openPage === undefined ? [] : [openPage]));
        await queries.refetchQueries({ queryKey: pagesQuery(target).queryKey, exact: true }, { cancelRefetch: false });
        return { place: target, answer };
      } catch (error) {
        const isUnreachable = error instanceof ApiError && error.status === 0;
        const reason = isUnreachable ? space.unreachable : reasonOf(error);
        const again = { label: shell.retry, run: () => void attempt(step) };
        if (onRefused) onRefused(reason);
        else notify(space.refused(reason), { tone: "danger", ...(isUnreachable && { action: again }) });
        return undefined;
      } finally {
        hide();
      }
    },
    [place, openPage, begin, space, shell],
  );

  const write = useCallback(
    ({ changes, ...step }: Change) => {
      const changesOpenPage = changes.some((change) => "page" in change && change.page === openPage);
      return run({ ...step, send: (target, kept) => changeContent(target, changes, changesOpenPage ? [] : kept) });
    },
    [run, openPage],
  );

  return useMemo(() => ({ begin, write, run }), [begin, write, run]);
}
