import { useQuery } from "@tanstack/react-query";
import { Node } from "prosemirror-model";
import type { EditorView } from "prosemirror-view";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";

import { addPicture, addressOf, isWritable, pagesQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { mistakeIn } from "../space/expression-check";
import { filesQuery } from "../space/queries";
import { MAX_SIZE, upload as uploadFile } from "../space/upload";
import { notify } from "../ui";
import type { Beside } from "./beside";
import type { KeyTaker } from "./beside-list";
import { keyOf } from "./block-keys";
import type { Person } from "./carets";
import { decode } from "./codec";
import type { JsonDocument } from "./document";
import type { Draft } from "./drafts";
import { laterCarets, laterPlugins, laterTables, whenIdle } from "./later";
import { optional } from "./optional";
import { flatPages } from "./pages";
import { createView, type Region } from "./prose-view";
import { blockRange } from "./ranges";
import { safeAddress } from "./safe-address";
import { Saver, type SaveState } from "./saver";
import { schema } from "./schema";
import type { Surface } from "./surface";
import { useApi } from "./use-api";
import { useMenus } from "./use-menus";
import type { Ref } from "./view-parts";
import { PageWriter } from "./writer";

const Suggestions = optional(() => import("./suggestions"));

const EMPTY: JsonDocument = { object: "document", data: {}, nodes: [] };

export interface SurfaceProps {
  place: Place;
  pageId: string;
  canEdit: boolean;
  /** True while a page that can be edited takes no changes, such as on the way to another content. */
  isLocked: boolean;
  begin: (() => Promise<Place>) | undefined;
  onComment: ((target: { page: string; node?: string; excerpt?: string }) => void) | undefined;
  shownBlock: { node: string } | undefined;
  onState: (state: SaveState) => void;
  draft: Draft | undefined;
  /** Shows who else writes the page. */
  onPeople: (people: readonly Person[], view: EditorView) => void;
  saver: RefObject<Saver | PageWriter | null>;
  /** Puts the focus into the text. */
  focus: RefObject<(() => void) | null>;
}

/** Returns the target of a reference in the application or on the web. */
function targetOf(place: Place, { url, page, file, anchor }: Ref, fileUrl: (id: string) => string | undefined): string | undefined {
  const hash = anchor ? `#${anchor}` : "";
  if (page !== undefined) return addressOf(place, page) + hash;
  if (file !== undefined) return fileUrl(file);
  return safeAddress(url) ?? (hash || undefined);
}

/** Returns a saver that goes on with the draft of an earlier visit. */
export function startSaver(props: SurfaceProps, surface: Surface, begin: () => SurfaceProps["begin"]): Saver {
  const { place, pageId, draft, onState } = props;
  const saver = new Saver({
    place,
    page: pageId,
    surface,
    begin: () => begin()?.() ?? Promise.reject(new Error("no change request")),
    onState,
  });
  if (draft?.text) saver.changed();
  if (draft) saver.set(draft.fields);
  return saver;
}

interface BlockEditorProps extends SurfaceProps {
  document: JsonDocument | undefined;
  documentId?: string | undefined;
  /** True if the text is the person's suggestions for the page. */
  isSuggesting: boolean;
}

/** Shows the document of a page as blocks that can be edited. */
export function BlockEditor(props: BlockEditorProps) {
  const { place, pageId, canEdit, isLocked, isSuggesting, draft, onComment, shownBlock, saver } = props;
  const { editor } = useMessages();
  const [, navigate] = useLocation();
  const mount = useRef<HTMLDivElement>(null);
  const taker = useRef<KeyTaker>(null);
  const watchers = useRef(new Set<() => void>());
  const [region, setRegion] = useState<Region>();
  const [writer, setWriter] = useState<PageWriter>();
  const [beside, setBeside] = useState<Beside>({});
  const [menu, setMenu] = useState<{ at: number; beside: HTMLElement }>();
  const pages = useQuery(pagesQuery(place));
  const files = useQuery(filesQuery(place));
  const flat = useMemo(() => flatPages(pages.data ?? []), [pages.data]);
  const refresh = () => {
    for (const listener of watchers.current) listener();
  };
  const api = useApi(place.organization, canEdit, refresh);
  const isMenuAsked = menu !== undefined || Object.keys(beside).length > 0;
  const { menus, hold } = useMenus(canEdit ? region?.view : undefined, isMenuAsked);
  const latest = useRef({ props, flat, files: files.data, beside, hold });
  useEffect(() => {
    latest.current = { props, flat, files: files.data, beside, hold };
  });

  const open = (ref: Ref, isNewWindow: boolean) => {
    const target = targetOf(latest.current.props.place, ref, (id) => latest.current.files?.find((file) => file.id === id)?.downloadURL);
    if (target === undefined) return;
    if (ref.page !== undefined && !isNewWindow) navigate(target);
    else window.open(ref.page !== undefined ? `/app${target}` : target, "_blank", "noopener");
  };

  /** Returns the name of a person, and shows it later if it has to be read first. */
  const personName = (id: string): string | undefined => {
    const query = memberQuery(place.organization, id);
    const known = queries.getQueryData(query.queryKey);
    if (!known) {
      // People who have left have no name; their mention stays as it is.
      queries.fetchQuery({ ...query, retry: false }).then(refresh, () => {});
    }
    return known?.user.displayName;
  };

  /** Adds a file to the place. A change request is begun for it unless the place takes changes. */
  const add = async (send: (place: Place) => Promise<string | undefined>): Promise<string | undefined> => {
    const { place: at, begin } = latest.current.props;
    const target = isWritable(at) ? at : await begin?.();
    const id = target && (await send(target));
    if (id !== undefined) await files.refetch();
    return id;
  };

  const upload = async (file: File): Promise<string | undefined> => {
    if (file.size > MAX_SIZE) {
      notify(editor.uploadFailed(file.name, editor.tooLarge), { tone: "danger" });
      return undefined;
    }
    try {
      return await add(async (target) => (await uploadFile(target, file, [pageId])).id);
    } catch (error) {
      notify(editor.uploadFailed(file.name, error instanceof Error ? error.message : String(error)), { tone: "danger" });
      return undefined;
    }
  };

  useLayoutEffect(() => {
    if (!mount.current) return;
    const { current } = latest;
    const doc = draft?.work ? Node.fromJSON(schema, draft.work.document) : decode(current.props.document ?? EMPTY);
    const made = createView(mount.current, {
      doc,
      label: editor.text,
      texts: editor,
      isEditable: canEdit,
      fileUrl: (id) => latest.current.files?.find((file) => file.id === id)?.downloadURL,
      fileName: (id) => latest.current.files?.find((file) => file.id === id)?.name,
      pageTitle: (id) => latest.current.flat.find((page) => page.id === id)?.label,
      personName,
      pages: () => latest.current.flat,
      mistakeIn: (expression) => mistakeIn(place.space, expression),
      apiBox: api.box,
      onChange: () => saver.current?.changed(),
      onBeside: setBeside,
      onBlockMenu: (at, element) => setMenu({ at, beside: element }),
      onOpen: open,
      onKey: (event) => taker.current?.take(event) ?? (latest.current.hold(event, latest.current.beside) || keyMenu(event)),
      onTooDeep: () => notify(editor.tooDeep),
      onBlur() {
        // In the main content, this would be a revision each time.
        if (!place.live) void saver.current?.flush();
      },
      onSelect: (anchor, head) => {
        if (saver.current instanceof PageWriter) saver.current.select(anchor, head);
      },
      watch(listener) {
        watchers.current.add(listener);
        return () => watchers.current.delete(listener);
      },
      upload,
      fetchPicture: (address) => add((target) => addPicture(target, address, [pageId])).catch(() => undefined),
      onLeft(kept, missing) {
        if (kept > 0) notify(editor.picturesKept(kept));
        if (missing > 0) notify(editor.picturesMissing(missing), { tone: "danger" });
      },
    });
    const { view } = made;
    const keyMenu = (event: KeyboardEvent): boolean => {
      if (event.key !== "/" || (!event.ctrlKey && !event.metaKey)) return false;
      const range = blockRange(view.state.doc, view.state.selection.from, view.state.selection.to);
      const dom = range && view.nodeDOM(range.start);
      if (!range || !(dom instanceof HTMLElement)) return false;
      event.preventDefault();
      setMenu({ at: range.start, beside: dom });
      return true;
    };
    props.focus.current = () => view.focus();
    setRegion(made);
    if (canEdit) {
      const started = new PageWriter({
        place: current.props.place,
        page: pageId,
        view,
        draft,
        isSuggesting,
        begin: () => latest.current.props.begin?.() ?? Promise.reject(new Error("no change request")),
        onState: (state) => latest.current.props.onState(state),
        onPeople(people) {
          made.addLoaded();
          laterCarets.now?.showPeople(view, people);
          latest.current.props.onPeople(people, view);
        },
        onNotice: (notice) => notify(notice === "refused" ? editor.takenBack : editor.bothKept),
      });
      saver.current = started;
      setWriter(started);
    }
    const ended = saver.current;
    return () => {
      ended?.dispose();
      saver.current = null;
      view.destroy();
    };
    // The view lives as long as the page is shown.
  }, [pageId, canEdit]);

  // Blocks show files and titles of pages, which may come after the text.
  useEffect(() => {
    if (region) refresh();
  }, [region, files.data, flat]);

  useEffect(() => {
    if (region && canEdit) return whenIdle(() => void Promise.allSettled([laterTables.load(), laterPlugins.load()]).then(region.addLoaded));
  }, [region, canEdit]);

  useEffect(() => region?.view.setProps({ editable: () => canEdit && !isLocked }), [region, canEdit, isLocked]);

  useEffect(() => {
    if (region && shownBlock) void import("./reveal").then(({ revealBlock }) => revealBlock(region.view, shownBlock.node));
  }, [region, shownBlock]);

  const comment = (from: number, to: number) => {
    if (!region || !onComment) return;
    const { doc } = region.view.state;
    const range = blockRange(doc, from);
    const node = range && keyOf(range.parent.child(range.startIndex));
    const excerpt = doc.textBetween(from, to, " ").slice(0, 200);
    void saver.current?.flush().then(() => onComment({ page: pageId, ...(node && { node }), ...(excerpt && { excerpt }) }));
  };

  return (
    <>
      <div ref={mount} className="editor-mount" />
      {region && canEdit && menus && (
        <menus.Menus
          view={region.view}
          place={place}
          beside={beside}
          pages={flat}
          taker={taker}
          onComment={onComment && comment}
          onOpen={open}
          onPick={api.pick}
          onClose={() => region.dismiss()}
        />
      )}
      {region && writer && menus && place.changeRequest !== undefined && (
        <Suggestions region={region} writer={writer} place={place} page={pageId} isOwn={isSuggesting} />
      )}
      {region && menu && menus && (
        <menus.BlockMenu view={region.view} at={menu.at} beside={menu.beside} onComment={onComment && comment} onPick={api.pick} onClose={() => setMenu(undefined)} />
      )}
      {region && canEdit && api.picker(region.view)}
    </>
  );
}
