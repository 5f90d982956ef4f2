import { client, data } from "../api/client";
import { ApiError } from "../api/errors";
import { changeContent, type ContentChange, pageQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import type { JsonDocument } from "./document";
import { merge } from "./merge";

/** Milliseconds after the last change until it is saved. */
const DELAY = 600;
/** Maximum number of milliseconds between two attempts. */
const MAX_WAIT = 15_000;

export type SaveState = { kind: "saved" } | { kind: "unsaved" } | { kind: "saving" } | { kind: "failed"; reason: string };

/** Other fields of a page that the editor changes. */
export interface Fields {
  title?: string;
  description?: string;
}

/** Text that had not been saved when the page was left. */
interface Draft {
  document?: JsonDocument;
  markdown?: string;
  fields: Fields;
  base: JsonDocument;
}

interface Options {
  place: Place;
  page: string;
  /** The document as it was loaded, and its id. */
  base: JsonDocument;
  baseId: string | undefined;
  /** Returns the document as it is in the editor. */
  read: () => JsonDocument;
  /** Shows a document that contains the changes of others. */
  replace: (document: JsonDocument, hasConflicts: boolean) => void;
  /** Starts a change request for a page of the main content. */
  begin: (() => Promise<Place>) | undefined;
  onState: (state: SaveState) => void;
}

/**
 * Saves the changes of one page, one request at a time. Each request names the revision that it is
 * based on; changes of others are merged block by block before the next attempt. Unsaved text is
 * kept in the browser.
 */
export class Saver {
  private place: Place;
  private base: JsonDocument;
  private baseId: string | undefined;
  private revision: string | undefined;
  /** The revision of the last save. */
  private lastSaved: string | undefined;
  private isDirty = false;
  private markdown: string | undefined;
  private fields: Fields = {};
  private timer: number | undefined;
  private running: Promise<void> | undefined;
  private wait = 1_000;

  constructor(private readonly options: Options) {
    this.place = options.place;
    this.base = options.base;
    this.baseId = options.baseId;
    addEventListener("online", this.now);
    addEventListener("pagehide", this.keep);
    addEventListener("beforeunload", this.keep);
  }

  /** Remembers that the document has changed. */
  changed(): void {
    this.isDirty = true;
    this.later(DELAY);
  }

  /** Changes the title or the description. */
  set(fields: Fields): void {
    this.fields = { ...this.fields, ...fields };
    this.later(DELAY);
  }

  /** Replaces the document by Markdown. */
  setMarkdown(markdown: string): void {
    this.markdown = markdown;
    this.later(DELAY);
  }

  /** Returns `true` if something is not saved yet. */
  get isWaiting(): boolean {
    return this.isDirty || this.markdown !== undefined || Object.keys(this.fields).length > 0;
  }

  /** Returns the text that an earlier visit could not save, and forgets it. */
  static recover(place: Place, page: string): Draft | undefined {
    const key = draftKey(place, page);
    const stored = localStorage.getItem(key);
    if (stored === null) return undefined;
    localStorage.removeItem(key);
    try {
      return JSON.parse(stored) as Draft;
    } catch {
      return undefined;
    }
  }

  /** Saves at once and waits for it. */
  readonly flush = async (): Promise<void> => {
    clearTimeout(this.timer);
    while (this.isWaiting) {
      this.running ??= this.save().finally(() => {
        this.running = undefined;
      });
      await this.running;
      if (this.timer !== undefined && this.wait > 1_000) break;
    }
  };

  /** Ends the saver. What is not saved is sent once more and kept in the browser. */
  dispose(): void {
    removeEventListener("online", this.now);
    removeEventListener("pagehide", this.keep);
    removeEventListener("beforeunload", this.keep);
    this.keep();
    void this.flush();
  }

  private readonly now = () => this.later(0);

  private readonly keep = () => {
    if (!this.isWaiting) return;
    const draft: Draft = {
      fields: this.fields,
      base: this.base,
      ...(this.isDirty && { document: this.options.read() }),
      ...(this.markdown !== undefined && { markdown: this.markdown }),
    };
    try {
      localStorage.setItem(draftKey(this.place, this.options.page), JSON.stringify(draft));
    } catch {
      // The text is larger than the browser keeps; it stays in the editor.
    }
  };

  private later(milliseconds: number): void {
    if (!this.isWaiting) return;
    if (this.running === undefined) this.options.onState({ kind: "unsaved" });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, milliseconds);
  }

  private async save(): Promise<void> {
    const { page, begin, onState } = this.options;
    onState({ kind: "saving" });
    this.keep();
    try {
      if (this.place.changeRequest === undefined) {
        if (!begin) throw new ApiError(403, "", "the main content changes by change requests");
        this.place = await begin();
      }
      if (this.revision === undefined) await this.compare();
      const [isDirty, markdown, fields] = [this.isDirty, this.markdown, this.fields];
      const document = this.options.read();
      (this.isDirty = false), (this.markdown = undefined), (this.fields = {});
      try {
        await this.send(page, isDirty ? document : undefined, markdown, fields);
      } catch (error) {
        this.isDirty ||= isDirty;
        this.markdown ??= markdown;
        this.fields = { ...fields, ...this.fields };
        throw error;
      }
      if (isDirty) this.base = document;
      this.wait = 1_000;
      if (!this.isWaiting) {
        localStorage.removeItem(draftKey(this.place, page));
        onState({ kind: "saved" });
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        this.revision = undefined;
        return;
      }
      onState({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
      this.wait = Math.min(this.wait * 2, MAX_WAIT);
      this.later(this.wait);
    }
  }

  private async send(page: string, document: JsonDocument | undefined, markdown: string | undefined, fields: Fields): Promise<void> {
    const body = markdown !== undefined ? { markdown } : document && { document };
    const change = { operation: "update_page", page, ...fields, ...(body && { document: body }) } as ContentChange;
    const answer = await changeContent(this.place, [change], [page], this.revision);
    this.revision = (answer as { changeRequest?: { revision?: string } }).changeRequest?.revision;
    this.lastSaved = this.revision;
    queries.removeQueries({ queryKey: pageQuery(this.place, page).queryKey });
  }

  /** Reads the present revision and merges what others changed in the page since the last save. */
  private async compare(): Promise<void> {
    const { page, read, replace } = this.options;
    const { space: spaceId, changeRequest = "" } = this.place;
    const params = { path: { spaceId, changeRequestId: changeRequest } };
    const row = await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}", { params }));
    const query = { ...pageQuery(this.place, page), staleTime: 0 };
    const found = (await queries.fetchQuery(query)) as { document?: JsonDocument; documentId?: string };
    if (found.document && found.documentId !== this.baseId) {
      const kept = await this.saved();
      const merged = merge({ sent: this.base, kept }, read(), found.document);
      if (JSON.stringify(kept.nodes) !== JSON.stringify(found.document.nodes)) {
        replace(merged.document, merged.hasConflicts);
        this.base = found.document;
        this.isDirty = true;
      }
    }
    this.baseId = found.documentId;
    this.revision = row.revision;
  }

  /** Returns the document of the last save as the server keeps it. */
  private async saved(): Promise<JsonDocument> {
    if (this.lastSaved === undefined) return this.base;
    const path = { spaceId: this.place.space, revisionId: this.lastSaved, pageId: this.options.page };
    const params = { path, query: { format: "document" as const } };
    const page = await data(client.GET("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", { params }));
    return (page as { document?: JsonDocument }).document ?? this.base;
  }
}

function draftKey({ space, changeRequest }: Place, page: string): string {
  return `bindery.draft.${space}.${changeRequest ?? "main"}.${page}`;
}
