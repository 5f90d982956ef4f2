import "./editor.css";

import { useQuery } from "@tanstack/react-query";
import type { EditorView } from "prosemirror-view";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

import { changeContent, pageQuery, pagesQuery, type Place, type TreePage } from "../api/place";
import { useMessages } from "../i18n";
import { filesQuery } from "../space/queries";
import { base64, MAX_SIZE } from "../space/upload";
import { ErrorState, Loading, notify } from "../ui";
import { decode, encode } from "./codec";
import type { JsonDocument } from "./document";
import { blockAround } from "./keys";
import { type KeyTaker, Menus } from "./menus";
import { type Beside, createView } from "./prose-view";
import { Saver, type SaveState } from "./saver";
import { imagesOf } from "./schema";

export interface PageEditorProps {
  place: Place;
  pageId: string;
  canEdit: boolean;
  /** Starts a change request before the first change of a page of the main content. */
  begin?: () => Promise<Place>;
  onComment?: (target: { page: string; node?: string; excerpt?: string }) => void;
  onTitle?: (title: string) => void;
}

interface LoadedPage {
  title: string;
  description?: string;
  document?: JsonDocument;
  documentId?: string;
}

/** Shows a page and lets people write in it. It saves by itself. */
export default function PageEditor(props: PageEditorProps) {
  const { place, pageId } = props;
  const [first] = useState(place);
  const found = useQuery({ ...pageQuery(first, pageId), staleTime: 0, refetchOnWindowFocus: false });
  const [shown, setShown] = useState<LoadedPage>();
  useEffect(() => {
    if (found.data && !found.isFetching) setShown((known) => known ?? (found.data as unknown as LoadedPage));
  }, [found.data, found.isFetching]);
  if (shown) return <Editor {...props} page={shown} />;
  return found.isError ? <ErrorState error={found.error} onRetry={() => void found.refetch()} /> : <Loading />;
}

const EMPTY: JsonDocument = { object: "document", data: {}, nodes: [] };

function Editor({ place, pageId, canEdit, begin, onComment, onTitle, page }: PageEditorProps & { page: LoadedPage }) {
  const { editor } = useMessages();
  const mount = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const saver = useRef<Saver>(null);
  const taker = useRef<KeyTaker>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [beside, setBeside] = useState<Beside>({});
  const [state, setState] = useState<SaveState>({ kind: "saved" });
  const [title, setTitle] = useState(page.title);
  const [description, setDescription] = useState(page.description ?? "");
  const pages = useQuery(pagesQuery(place));
  const files = useQuery(filesQuery(place));
  const latest = useRef({ begin, pages: pages.data, files: files.data, place });
  latest.current = { begin, pages: pages.data, files: files.data, place };

  const upload = useCallback(
    async (file: File) => {
      try {
        return await uploaded(file, latest.current.place, latest.current.begin, editor.tooLarge);
      } catch (error) {
        notify(editor.uploadFailed(file.name, error instanceof Error ? error.message : ""), { tone: "danger" });
        return undefined;
      }
    },
    [editor],
  );

  useLayoutEffect(() => {
    if (!mount.current) return;
    const base = page.document ?? EMPTY;
    const draft = canEdit ? Saver.recover(latest.current.place, pageId) : undefined;
    const made = createView(mount.current, {
      doc: decode(draft?.document ?? base),
      label: editor.text,
      texts: editor,
      isEditable: canEdit,
      fileUrl: (id) => latest.current.files?.find((file) => file.id === id)?.downloadURL,
      pageTitle: (id) => titleOf(latest.current.pages ?? [], id),
      onChange: () => saver.current?.changed(),
      onBeside: setBeside,
      onKey: (event) => taker.current?.take(event) ?? false,
      onBlur: () => void saver.current?.flush(),
      upload,
    });
    view.current = made;
    saver.current = new Saver({
      place: latest.current.place,
      page: pageId,
      base: draft?.base ?? base,
      baseId: draft ? undefined : page.documentId,
      read: () => encode(made.state.doc, base.data),
      replace(document, hasConflicts) {
        const doc = decode(document);
        const transaction = made.state.tr.replaceWith(0, made.state.doc.content.size, doc.content).setMeta("remote", true);
        made.dispatch(transaction.setMeta("addToHistory", false));
        notify(hasConflicts ? editor.overwritten : editor.merged);
      },
      begin: latest.current.begin && (() => latest.current.begin?.() ?? Promise.reject(new Error("no change request"))),
      onState: setState,
    });
    if (draft) {
      notify(editor.recovered);
      if (draft.document) saver.current.changed();
      saver.current.set(draft.fields);
    }
    return () => {
      saver.current?.dispose();
      made.destroy();
    };
    // The view lives as long as the page is shown.
  }, [pageId]);

  const comment = (from: number, to: number) => {
    if (!view.current || !onComment) return;
    const { doc } = view.current.state;
    const key = blockAround(doc, from)?.node.attrs["key"] as string | null | undefined;
    const excerpt = doc.textBetween(from, to, " ").slice(0, 200);
    void saver.current?.flush().then(() => onComment({ page: pageId, ...(key && { node: key }), excerpt }));
  };

  return (
    <article className="editor">
      <div className="editor-head">
        <textarea
          className="editor-title"
          aria-label={editor.title}
          placeholder={editor.untitled}
          rows={1}
          value={title}
          readOnly={!canEdit}
          onChange={(event) => {
            const text = event.target.value.replace(/\n/g, " ");
            setTitle(text);
            onTitle?.(text);
            if (text.trim()) saver.current?.set({ title: text.trim() });
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            view.current?.focus();
          }}
        />
        <h1 className="visually-hidden">{title || editor.untitled}</h1>
        {(canEdit || description) && (
          <textarea
            className="editor-description"
            aria-label={editor.description}
            placeholder={editor.addDescription}
            rows={1}
            value={description}
            readOnly={!canEdit}
            onChange={(event) => {
              setDescription(event.target.value);
              saver.current?.set({ description: event.target.value });
            }}
          />
        )}
      </div>
      <div ref={mount} className="editor-mount" />
      {view.current && (
        <Menus
          view={view.current}
          beside={beside}
          pages={pages.data ?? []}
          taker={taker}
          onImage={() => picker.current?.click()}
          onComment={onComment && comment}
          onClose={() => setBeside({})}
        />
      )}
      <input
        ref={picker}
        type="file"
        accept="image/*"
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          const target = view.current;
          if (!file || !target) return;
          void upload(file).then((json) => {
            if (json) target.dispatch(target.state.tr.replaceSelectionWith(target.state.schema.node("atom", { json })));
          });
        }}
      />
      {canEdit && <SaveStatus state={state} />}
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

function titleOf(pages: readonly TreePage[], id: string): string | undefined {
  for (const page of pages) {
    if (page.id === id) return page.title;
    const below = "pages" in page ? titleOf(page.pages as TreePage[], id) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Adds a picture to the content and returns its block. */
async function uploaded(file: File, place: Place, begin: PageEditorProps["begin"], tooLarge: string) {
  if (file.size > MAX_SIZE) throw new Error(tooLarge);
  const at = place.changeRequest === undefined ? await begin?.() : place;
  if (!at) throw new Error("no change request");
  const sent = { name: file.name || "image.png", contentType: file.type || "image/png", base64: await base64(file) };
  const answer = await changeContent(at, [{ operation: "insert_files", files: [sent] }]);
  const id = (answer as { insertedFiles?: { id: string }[] }).insertedFiles?.[0]?.id;
  if (id === undefined) throw new Error("no file");
  return imagesOf({ kind: "file", file: id }, file.name.replace(/\.\w+$/, ""));
}
