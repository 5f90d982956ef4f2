import "./editor.css";

import { type RefObject, useEffect, useRef, useState } from "react";

import { pageQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import type { Following } from "../space/following";
import { ErrorState, Loading, notify } from "../ui";
import type { JsonDocument, JsonNode } from "./document";
import type { Draft } from "./drafts";
import { isApiType, laterApi, laterTables } from "./later";
import { Saver } from "./saver";
import { Session } from "./session";
import type { PageWriter } from "./writer";

export interface PageEditorProps {
  place: Place;
  pageId: string;
  canEdit: boolean;
  /** Starts a change request before the first change of a page of the main content, unless it is written live. */
  begin?: () => Promise<Place>;
  /** Is set to what saves the page, while it can be edited. */
  saver: RefObject<PageSaver | null>;
  onComment?: (target: { page: string; node?: string; excerpt?: string }) => void;
  onTitle?: (title: string) => void;
  /** The block that is shown and selected, by its key; another object shows it again. */
  shownBlock?: { node: string } | undefined;
  following: Following;
}

/** Saves what is written in a page. */
export type PageSaver = Saver | PageWriter;

/** The forms in which a page is edited: its blocks, its Markdown, or the person's copy of its blocks with suggestions. */
export type Mode = "blocks" | "markdown" | "suggest";

/** A page with its text in one form, and what an earlier visit could not save of it. */
export interface LoadedPage {
  title: string;
  description?: string;
  document?: JsonDocument;
  documentId?: string;
  markdown?: string;
}

/** The content and the form in which a page is asked for. */
export interface Asked {
  place: Place;
  mode: Mode;
  count: number;
}

interface Loaded {
  page: LoadedPage;
  draft: Draft | undefined;
  mode: Mode;
}

function holds(nodes: readonly JsonNode[] = [], isOne: (type: string) => boolean): boolean {
  return nodes.some(({ type = "", nodes: children, fragments }) => isOne(type) || holds(children, isOne) || holds(fragments, isOne));
}

/** Returns the name under which the tab remembers that the person suggests in a change request. */
function suggestKey({ space, changeRequest }: Place): string {
  return `bindery.suggest.${space}.${changeRequest}`;
}

/** Returns the form in which a page is shown at first. */
function firstMode(place: Place): Mode {
  return sessionStorage.getItem(suggestKey(place)) ? "suggest" : "blocks";
}

async function load(place: Place, pageId: string, asked: Mode): Promise<Loaded> {
  const draft = await Saver.recover(place, pageId, asked === "suggest");
  const mode = draft?.text ? "markdown" : draft?.work && asked === "markdown" ? "blocks" : asked;
  const page = await queries.fetchQuery({ ...pageQuery(place, pageId, mode === "markdown" ? "markdown" : "document"), staleTime: 0 });
  const loaded = page as unknown as LoadedPage;
  const isTable = draft?.work ? JSON.stringify(draft.work.document).includes('"type":"table"') : holds(loaded.document?.nodes, (type) => type === "table");
  const hasApi = holds(loaded.document?.nodes, isApiType);
  // A table can be read without its keys, which the open page asks for again.
  await Promise.allSettled([isTable && laterTables.load(), hasApi && laterApi.load()]);
  return { page: loaded, draft, mode };
}

/** Shows a page and lets people write in it. It saves by itself. */
export default function PageEditor(props: PageEditorProps) {
  const { place, pageId } = props;
  const { editor } = useMessages();
  const [asked, setAsked] = useState<Asked>({ place, mode: firstMode(place), count: 0 });
  const [loaded, setLoaded] = useState<Loaded & { count: number }>();
  const [error, setError] = useState<unknown>();
  const shownAt = useRef(place);
  const reload = (next: Partial<Asked> = {}) => {
    if (next.mode) sessionStorage.setItem(suggestKey(place), next.mode === "suggest" ? "1" : "");
    setAsked((now) => ({ ...now, ...next, count: now.count + 1 }));
  };

  useEffect(() => {
    let isCurrent = true;
    load(asked.place, pageId, asked.mode).then(
      (found) => {
        if (!isCurrent) return;
        setError(undefined);
        setLoaded({ ...found, count: asked.count });
        if (found.draft) notify(editor.recovered);
      },
      (reason: unknown) => {
        if (isCurrent) setError(reason);
      },
    );
    return () => {
      isCurrent = false;
    };
    // The texts do not load the page again.
  }, [asked, pageId]);

  // A change request that was started on the main content goes on with the same view.
  useEffect(() => {
    const before = shownAt.current;
    if (before.changeRequest === place.changeRequest) return;
    shownAt.current = place;
    if (before.changeRequest !== undefined) reload({ place, mode: firstMode(place) });
  }, [place]);

  if (loaded) {
    return <Session {...props} key={loaded.count} loadedAt={asked.place} loaded={loaded.page} draft={loaded.draft} mode={loaded.mode} onReload={reload} />;
  }
  return error === undefined ? <Loading /> : <ErrorState error={error} onRetry={() => reload()} />;
}
