import { lazy, Suspense, useEffect, useRef, useState } from "react";

import { pageQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { isNewPage } from "../space/new-page";
import { Loading, notify } from "../ui";
import { BlockEditor, type SurfaceProps } from "./block-editor";
import type { Draft } from "./drafts";
import { Head } from "./head";
import type { Asked, LoadedPage, Mode, PageEditorProps } from "./index";
import { optional } from "./optional";
import type { SaveState } from "./saver";
import { usePeople } from "./use-people";

const MarkdownEditor = lazy(() => import("./markdown-editor"));
const PeopleHere = optional(() => import("./people-here"));

interface SessionProps extends PageEditorProps {
  /** The content that the page was read from. */
  loadedAt: Place;
  loaded: LoadedPage;
  draft: Draft | undefined;
  mode: Mode;
  onReload: (next?: Partial<Asked>) => void;
}

/** A page from the time when it was read until it is read again. */
export function Session({ place, pageId, canEdit: mayEdit, begin, saver, onComment, onTitle, shownBlock, following, loadedAt, loaded, draft, mode, onReload }: SessionProps) {
  const { editor } = useMessages();
  const focus = useRef<(() => void) | null>(null);
  const [canEdit, setCanEdit] = useState(mayEdit);
  const [state, setState] = useState<SaveState>({ kind: "saved" });
  const { people, followed, onPeople, follow } = usePeople(following);
  // The address of a page that was just made follows its title.
  const [isNew] = useState(isNewPage);
  const [title, setTitle] = useState(draft?.fields.title ?? loaded.title);
  const [description, setDescription] = useState(draft?.fields.description ?? loaded.description ?? "");
  if (mayEdit && !canEdit) setCanEdit(true);

  useEffect(() => {
    if (place.changeRequest === undefined || loadedAt.changeRequest !== undefined) return;
    const isMoved = saver.current?.move(place) ?? true;
    if (!isMoved || saver.current?.isWaiting) return;
    // A change request that was there before may hold another text.
    const query = { ...pageQuery(place, pageId, mode === "markdown" ? mode : "document"), staleTime: 0 };
    void queries.fetchQuery(query).then((found) => {
      const { document, documentId, markdown, title: now } = found as unknown as LoadedPage;
      const isSame = now === loaded.title && (mode === "markdown" ? markdown === loaded.markdown : documentId === loaded.documentId || JSON.stringify(document) === JSON.stringify(loaded.document));
      if (!isSame && !saver.current?.isWaiting) onReload({ place });
    });
  }, [place.changeRequest]);

  const change = async (next: Mode) => {
    const isSaved = (await saver.current?.flush()) ?? true;
    if (isSaved) onReload({ place, mode: next });
    else notify(editor.notSwitched, { tone: "danger" });
  };

  const toggle = (to: Mode, label: string) => (
    <button type="button" className="editor-toggle" aria-pressed={mode === to} onClick={() => void change(mode === to ? "blocks" : to)}>
      {label}
    </button>
  );

  const surface: SurfaceProps = {
    place,
    pageId,
    canEdit,
    isLocked: !mayEdit,
    begin,
    onComment,
    shownBlock,
    // React looks for the selection in the whole text after each of its changes, so no key makes one.
    onState: (next) => setState((now) => (now.kind === next.kind && next.kind !== "failed" ? now : next)),
    draft: canEdit ? draft : undefined,
    onPeople,
    saver,
    focus,
  };
  return (
    <article className="editor" data-mode={mode}>
      <div className="editor-bar">
        {people.length > 0 && <PeopleHere people={people} followed={followed} onFollow={follow} />}
        {canEdit && <SaveStatus state={state} />}
        {canEdit && place.changeRequest !== undefined && mode !== "markdown" && toggle("suggest", editor.suggest)}
        {/* Markdown is saved as it is typed, which would be many revisions of the main content. */}
        {mode !== "suggest" && !place.live && toggle("markdown", editor.markdown)}
      </div>
      <Head
        title={title}
        description={description}
        canEdit={canEdit && mode !== "suggest"}
        onTitle={(text) => {
          setTitle(text);
          onTitle?.(text);
          if (text.trim()) saver.current?.set({ title: text.trim(), ...(isNew && { slug: "" }) });
        }}
        onDescription={(text) => {
          setDescription(text);
          saver.current?.set({ description: text });
        }}
        onEnter={() => focus.current?.()}
      />
      {mode === "markdown" ? (
        <Suspense fallback={<Loading />}>
          <MarkdownEditor {...surface} markdown={loaded.markdown ?? ""} />
        </Suspense>
      ) : (
        <BlockEditor {...surface} document={loaded.document} documentId={loaded.documentId} isSuggesting={mode === "suggest"} />
      )}
    </article>
  );
}

function SaveStatus({ state }: { state: SaveState }) {
  const { editor } = useMessages();
  const texts = { saved: editor.saved, saving: editor.saving, unsaved: editor.unsaved };
  return (
    <p className="editor-status" role="status" data-state={state.kind}>
      {state.kind === "failed" ? editor.notSaved(state.reason) : texts[state.kind]}
    </p>
  );
}
