import { useMemo } from "react";
import { useLocation } from "wouter";

import { addressOf, type ContentChange, pageQuery, type Place, revisionOf, type TreePage } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { BASE } from "../shell/app";
import { notify } from "../ui";
import { NEW_PAGE } from "./new-page";
import { ancestorsOf, countBelow, type Direction, inserted, isHidden, moved, neighbour, removed, sourceOf, specOf, type Spot, storedSpot, type TreeIndex, updated } from "./tree";
import { reasonOf, type Writing, type Written } from "./writing";

/** Maximum number of changes in one request. */
const MAX_CHANGES = 50;

/** The actions on pages of a tree. */
export interface PageActions {
  open: (page: TreePage) => void;
  insert: (spot: Spot) => Promise<void>;
  rename: (page: TreePage, title: string) => void;
  duplicate: (page: TreePage) => Promise<void>;
  move: (page: TreePage, spot: Spot) => void;
  /** Returns the page of the source that makes a page; undefined if it is not known. */
  sourceOf: (page: TreePage) => TreePage | undefined;
  /** Returns a place as changes name it. */
  spotIn: (spot: Spot) => Spot;
  shift: (page: TreePage, direction: Direction) => boolean;
  toggleHidden: (page: TreePage) => void;
  remove: (page: TreePage) => Promise<void>;
  copyLink: (page: TreePage) => Promise<void>;
}

function insertedPage(answer: Written): string | undefined {
  if (!("changes" in answer)) return undefined;
  for (const change of answer.changes) if (change.object === "created_page") return change.page.id;
  return undefined;
}

function deletedPages(answer: Written): string[] {
  if (!("changes" in answer)) return [];
  return answer.changes.flatMap((change) => (change.object === "deleted_page" ? [change.page] : []));
}

function placeholder(title: string): TreePage {
  const id = `new-${crypto.randomUUID()}`;
  return { id, type: "document", title, slug: "", path: "", pages: [], hidden: false } as unknown as TreePage;
}

/** Returns the page that is shown after another one is deleted: the nearest one that stays. */
function neighbourPage(index: TreeIndex, page: TreePage): TreePage | undefined {
  const entry = index.get(page.id);
  if (!entry) return undefined;
  const around = [
    ...entry.siblings.slice(0, entry.position).reverse(),
    ...ancestorsOf(index, page.id).reverse(),
    ...entry.siblings.slice(entry.position + 1),
  ];
  return around.find(({ type }) => type === "document");
}

interface Given {
  place: Place;
  index: TreeIndex;
  /** The pages that no source makes; absent if that are all, or if it is not known yet. */
  stored: TreeIndex | undefined;
  writing: Writing;
  /** The page that is open. */
  current: string | undefined;
}

/** Returns the actions on the pages of a place. */
export function usePageActions({ place, index, stored, writing, current }: Given): PageActions {
  const { space, shell } = useMessages();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const { begin, write } = writing;
    const source = (page: TreePage | undefined) => (page && stored ? sourceOf(page, index, stored) : undefined);
    const spotIn = (spot: Spot, page?: string) => (stored ? storedSpot(index, stored, spot, page) : spot);

    const insertDocument = async (spot: Spot, page: TreePage, fields: Partial<ContentChange>, document: object) => {
      const { at, into } = spotIn(spot);
      const change = { ...fields, operation: "insert_page", at, ...(into !== null && { into }), title: page.title, document };
      const made = await write({
        changes: [change as ContentChange],
        preview: (pages) => inserted(pages, spot, page),
      });
      const id = made && insertedPage(made.answer);
      if (made && id !== undefined) navigate(addressOf(made.place, id), { state: NEW_PAGE });
    };

    const move = (page: TreePage, spot: Spot) =>
      void write({
        changes: [{ operation: "update_page", page: page.id, ...spotIn(spot, page.id) }],
        preview: (pages) => moved(pages, page.id, spot),
      });

    const restore = async (target: Place, ids: string[], revision: string) => {
      for (let from = 0; from < ids.length; from += MAX_CHANGES) {
        const batch = ids.slice(from, from + MAX_CHANGES);
        const changes = batch.map((page): ContentChange => ({ operation: "revert_page", page, revision }));
        const done = await write({ changes, at: target });
        if (!done) return;
      }
      const first = ids[0];
      if (current !== undefined && ids.includes(current)) navigate(addressOf(target, current));
      else if (first !== undefined) notify(space.restored);
    };

    return {
      open: (page) => {
        if (page.type !== "link") navigate(addressOf(place, page.id));
        else if (page.target.kind === "page") navigate(addressOf(place, page.target.page));
        else if (page.href !== undefined) window.open(page.href, "_blank", "noopener");
      },
      insert: (spot) => insertDocument(spot, placeholder(space.untitled), {}, { markdown: "" }),
      rename: (page, title) =>
        void write({
          changes: [{ operation: "update_page", page: page.id, title }],
          preview: (pages) => updated(pages, page.id, { title }),
        }),
      duplicate: async (page) => {
        const entry = index.get(page.id);
        if (!entry || page.type !== "document") return;
        try {
          const found = await queries.fetchQuery(pageQuery(place, page.id));
          const { emoji, icon, condition } = page;
          const fields = { emoji, icon, condition, description: page.description, hidden: page.hidden };
          const document = "document" in found ? { document: found.document } : { markdown: "" };
          const copy = { ...placeholder(space.copyOf(page.title)), ...(emoji && { emoji }) };
          await insertDocument({ into: entry.parent, at: entry.position + 1 }, copy, fields as Partial<ContentChange>, document);
        } catch {
          notify(space.notDuplicated(page.title), { tone: "danger" });
        }
      },
      move,
      sourceOf: source,
      spotIn,
      shift: (page, direction) => {
        const spot = neighbour(index, page.id, direction);
        if (spot) move(page, spot);
        return spot !== undefined;
      },
      toggleHidden: (page) => {
        const hidden = !isHidden(page);
        void write({
          changes: [{ operation: "update_page", page: page.id, hidden }],
          preview: (pages) => updated(pages, page.id, { hidden }),
        });
      },
      remove: async (page) => {
        const name = specOf(page) ?? page.title;
        const isOpen = current !== undefined && [index.get(current)?.page, ...ancestorsOf(index, current)].some((one) => one?.id === page.id || source(one)?.id === page.id);
        const next = isOpen ? neighbourPage(index, page) : undefined;
        try {
          const target = await begin();
          // Deleted pages are restored from this revision.
          const revision = await revisionOf(target);
          const done = await write({
            at: target,
            changes: [{ operation: "delete_page", page: page.id }],
            preview: (pages) => removed(pages, page.id),
          });
          if (!done) return;
          if (isOpen) navigate(addressOf(target, next?.id), { replace: true });
          const below = countBelow(page);
          notify(below > 0 ? space.deletedWith(name, below) : space.deleted(name), {
            action: { label: shell.undo, run: () => void restore(target, deletedPages(done.answer), revision) },
          });
        } catch (error) {
          notify(space.refused(reasonOf(error)), { tone: "danger" });
        }
      },
      copyLink: async (page) => {
        try {
          await navigator.clipboard.writeText(location.origin + BASE + addressOf(place, page.id));
          notify(space.linkCopied);
        } catch {
          notify(space.linkNotCopied, { tone: "danger" });
        }
      },
    };
  }, [place, index, stored, writing, current, navigate, space, shell]);
}
