import { client, data } from "../api/client";
import { ApiError } from "../api/errors";
import { changeContent, type ContentChange, pageQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import { type Body, type Draft, draftKey, dropDraft, type Fields, findDraft, keepDraft } from "./drafts";
import type { Surface } from "./surface";

/** Milliseconds after the last change until it is saved. */
const DELAY = 600;
/** Maximum number of milliseconds that a change waits while more is typed. */
const MAX_DELAY = 5_000;
/** Maximum number of milliseconds between two attempts. */
const MAX_WAIT = 15_000;

export type SaveState = { kind: "saved" } | { kind: "unsaved" } | { kind: "saving" } | { kind: "failed"; reason: string };

interface Options {
  place: Place;
  page: string;
  surface: Surface;
  /** Starts a change request for a page of the main content. */
  begin: () => Promise<Place>;
  onState: (state: SaveState) => void;
}

/** The savers that have not ended, by the names of their drafts. */
const running = new Map<string, Saver>();

/**
 * Saves the changes of one page, one request at a time. Each request names the revision that it is
 * based on; the surface merges changes of others before the next attempt. Unsaved text is kept in
 * the browser.
 */
export class Saver {
  private place: Place;
  private revision: string | undefined;
  private isDirty = false;
  private fields: Fields = {};
  private timer: number | undefined;
  private waitsSince: number | undefined;
  private current: Promise<void> | undefined;
  private wait = 1_000;
  private isStopped = false;

  constructor(private readonly options: Options) {
    this.place = options.place;
    running.set(this.key, this);
    addEventListener("online", this.now);
    addEventListener("pagehide", this.keep);
    document.addEventListener("visibilitychange", this.leave);
  }

  /** Returns what an earlier visit could not save, after ending the saver that may still try to. */
  static async recover(place: Place, page: string): Promise<Draft | undefined> {
    const key = draftKey(place, page);
    await running.get(key)?.stop();
    return findDraft(key);
  }

  /** Remembers that the text has changed. */
  changed(): void {
    this.isDirty = true;
    this.later(DELAY);
  }

  /** Changes the title or the description. */
  set(fields: Fields): void {
    this.fields = { ...this.fields, ...fields };
    this.later(DELAY);
  }

  /** Returns `true` if something is not saved yet. */
  get isWaiting(): boolean {
    return this.isDirty || Object.keys(this.fields).length > 0;
  }

  /**
   * Goes on in another content, such as the change request that was started on the main one.
   * Returns `false` if the saver is there already.
   */
  move(place: Place): boolean {
    if (this.place.changeRequest === place.changeRequest) return false;
    const before = this.key;
    running.delete(before);
    this.place = place;
    this.revision = undefined;
    running.set(this.key, this);
    this.keep();
    dropDraft(before);
    return true;
  }

  /** Saves at once and waits for it. Returns `false` if it did not succeed. */
  readonly flush = async (): Promise<boolean> => {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.isWaiting && !this.isStopped) {
      this.current ??= this.save().finally(() => {
        this.current = undefined;
      });
      await this.current;
      if (this.timer !== undefined && this.wait > 1_000) return false;
    }
    return !this.isWaiting;
  };

  /** Lets the saver end as soon as everything is saved. It goes on until then, or until it is stopped. */
  dispose(): void {
    this.keep();
    void this.flush().then((isSaved) => {
      if (isSaved) void this.stop();
    });
  }

  /** Ends the saver. What is not saved stays in the browser. */
  private async stop(): Promise<void> {
    this.keep();
    this.isStopped = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.now);
    removeEventListener("pagehide", this.keep);
    document.removeEventListener("visibilitychange", this.leave);
    if (running.get(this.key) === this) running.delete(this.key);
    await this.current;
  }

  private get key(): string {
    return draftKey(this.place, this.options.page);
  }

  private readonly now = () => this.later(0);

  private readonly leave = () => {
    if (document.visibilityState === "hidden") this.keep();
  };

  private readonly keep = () => {
    if (!this.isWaiting) return;
    const { surface } = this.options;
    keepDraft(this.key, { fields: this.fields, base: surface.base, at: Date.now(), ...(this.isDirty && { body: surface.read() }) });
  };

  private later(milliseconds: number): void {
    if (!this.isWaiting || this.isStopped) return;
    if (this.current === undefined) this.options.onState({ kind: "unsaved" });
    this.waitsSince ??= Date.now();
    clearTimeout(this.timer);
    const most = Math.max(0, this.waitsSince + MAX_DELAY - Date.now());
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, this.wait > 1_000 ? milliseconds : Math.min(milliseconds, most));
  }

  private async save(): Promise<void> {
    const { page, begin, surface, onState } = this.options;
    onState({ kind: "saving" });
    this.waitsSince = undefined;
    try {
      if (this.place.changeRequest === undefined) this.move(await begin());
      if (this.revision === undefined) await this.compare();
      const [isDirty, fields, body] = [this.isDirty, this.fields, surface.read()];
      (this.isDirty = false), (this.fields = {});
      try {
        await this.send(page, isDirty ? body : undefined, fields);
      } catch (error) {
        this.isDirty ||= isDirty;
        this.fields = { ...fields, ...this.fields };
        throw error;
      }
      if (isDirty) surface.saved(body, this.revision);
      this.wait = 1_000;
      if (!this.isWaiting) {
        dropDraft(this.key);
        onState({ kind: "saved" });
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        this.revision = undefined;
        return;
      }
      this.keep();
      onState({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
      this.wait = Math.min(this.wait * 2, MAX_WAIT);
      this.later(this.wait);
    }
  }

  private async send(page: string, body: Body | undefined, fields: Fields): Promise<void> {
    const change = { operation: "update_page", page, ...fields, ...(body && { document: body }) } as ContentChange;
    const answer = await changeContent(this.place, [change], [page], this.revision);
    this.revision = (answer as { changeRequest?: { revision?: string } }).changeRequest?.revision;
    for (const format of ["document", "markdown"] as const) queries.removeQueries({ queryKey: pageQuery(this.place, page, format).queryKey });
  }

  /** Reads the present revision and takes over what others changed in the page since the last save. */
  private async compare(): Promise<void> {
    const { space: spaceId, changeRequest = "" } = this.place;
    const params = { path: { spaceId, changeRequestId: changeRequest } };
    const row = await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}", { params }));
    if (await this.options.surface.compare(this.place, this.options.page)) this.isDirty = true;
    this.revision = row.revision;
  }
}
