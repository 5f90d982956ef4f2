import { ApiError } from "../api/errors";
import { forget, isWritable, pageQuery, type Place, revisionOf } from "../api/place";
import { queries } from "../api/queries";
import { adoptDraft, type Draft, draftKey, dropDraft, type Fields, keepDraft } from "./drafts";
import { savePage } from "./request";
import { draftOf, type Surface } from "./surface";
import type { Work } from "./together";

/** Milliseconds after the last change until it is saved. */
const DELAY = 600;
/** Maximum number of milliseconds that a change waits while more is typed. */
const MAX_DELAY = 5_000;
/** Milliseconds after the first change of the main content itself. Each save is a revision that readers see. */
const LIVE_DELAY = 30_000;
/** Maximum number of milliseconds between two attempts. */
const MAX_WAIT = 15_000;

export type SaveState = { kind: "saved" } | { kind: "unsaved" } | { kind: "saving" } | { kind: "failed"; reason: string };

interface Options {
  place: Place;
  page: string;
  /** True if the draft is that of the person's suggestions for the page. */
  isSuggesting?: boolean;
  surface: Surface;
  /** Starts a change request for a page of the main content. */
  begin: () => Promise<Place>;
  onState: (state: SaveState) => void;
  /** Returns what is written in blocks and not confirmed, for the draft. */
  work?: () => Work | undefined;
  onStop?: () => void;
}

/** The savers that have not ended, by the names of their drafts. */
const running = new Map<string, Saver>();

/**
 * Saves the fields of one page, and its text in Markdown, one request at a time. Each request names
 * the revision that it is based on; the surface merges changes of others before the next attempt.
 * The browser keeps changes that are not saved.
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
  /** True if what was read of the place is older than a save. */
  private isOutdated = false;

  constructor(private readonly options: Options) {
    this.place = options.place;
    running.set(this.key, this);
    addEventListener("online", this.now);
    addEventListener("pagehide", this.keep);
    document.addEventListener("visibilitychange", this.leave);
  }

  /** Returns what an earlier visit could not save, after ending the saver that may still try to. */
  static async recover(place: Place, page: string, isSuggesting: boolean): Promise<Draft | undefined> {
    const key = draftKey(place, page, isSuggesting);
    await running.get(key)?.stop();
    return adoptDraft(key);
  }

  /** Remembers that the text has changed. */
  changed(): void {
    this.isDirty = true;
    this.later(DELAY);
  }

  /** Changes the title or the description. */
  set(fields: Fields): void {
    this.fields = { ...this.fields, ...fields };
    this.later(this.place.live ? LIVE_DELAY : DELAY);
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
      await this.once();
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
  async stop(): Promise<void> {
    this.keep();
    this.isStopped = true;
    this.options.onStop?.();
    clearTimeout(this.timer);
    removeEventListener("online", this.now);
    removeEventListener("pagehide", this.keep);
    document.removeEventListener("visibilitychange", this.leave);
    if (running.get(this.key) === this) running.delete(this.key);
    await this.current;
    this.forget();
  }

  private get key(): string {
    return draftKey(this.place, this.options.page, this.options.isSuggesting);
  }

  private readonly now = () => this.later(0);

  private readonly leave = () => {
    if (document.visibilityState === "hidden") this.keep();
  };

  /** Keeps what is not saved in the browser. */
  readonly keep = () => {
    const { surface, work } = this.options;
    const written = work?.();
    if (!this.isWaiting && !written) return;
    keepDraft(this.key, { fields: this.fields, at: Date.now(), ...(this.isDirty && { text: draftOf(surface) }), ...(written && { work: written }) });
  };

  /** Forgets the draft if there is nothing left to save. */
  readonly drop = () => {
    if (!this.isWaiting && !this.options.work?.()) dropDraft(this.key);
  };

  private later(milliseconds: number): void {
    if (!this.isWaiting || this.isStopped) return;
    if (this.current === undefined) this.options.onState({ kind: "unsaved" });
    this.waitsSince ??= Date.now();
    clearTimeout(this.timer);
    const most = Math.max(0, this.waitsSince + (this.place.live ? LIVE_DELAY : MAX_DELAY) - Date.now());
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.once().then(() => {
        // What was typed meanwhile waits like any change, so that a request does not follow the other.
        if (this.timer === undefined) this.later(this.revision === undefined ? 0 : DELAY);
      });
    }, this.wait > 1_000 ? milliseconds : Math.min(milliseconds, most));
  }

  /** Saves what there is, or waits for the request that does. */
  private once(): Promise<void> {
    this.current ??= this.save().finally(() => {
      this.current = undefined;
    });
    return this.current;
  }

  private async save(): Promise<void> {
    const { page, begin, surface, onState } = this.options;
    onState({ kind: "saving" });
    this.waitsSince = undefined;
    try {
      if (!isWritable(this.place)) this.move(await begin());
      if (this.revision === undefined) await this.compare();
      const { isDirty, fields } = this;
      const text = isDirty ? surface.read() : undefined;
      // What is changed by now is sent the next time.
      this.isDirty = false;
      this.fields = {};
      try {
        this.revision = await savePage(this.place, page, fields, text, this.revision);
      } catch (error) {
        this.isDirty ||= isDirty;
        this.fields = { ...fields, ...this.fields };
        throw error;
      }
      this.outdated();
      if (text !== undefined) surface.saved(text);
      this.wait = 1_000;
      if (!this.isWaiting) {
        this.drop();
        this.forget();
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

  /** Remembers that the page was changed, so that what was read of it is read anew. */
  outdated(): void {
    this.isOutdated = true;
    for (const format of ["document", "markdown"] as const) queries.removeQueries({ queryKey: pageQuery(this.place, this.options.page, format).queryKey });
  }

  /** Forgets what was read of the place before the last save. It is read anew, so this waits until nothing is typed. */
  forget(): void {
    if (this.isOutdated) forget(this.place, [this.options.page]);
    this.isOutdated = false;
  }

  /** Reads the present revision and takes over what others changed in the page since the last save. */
  private async compare(): Promise<void> {
    const revision = await revisionOf(this.place);
    if (await this.options.surface.compare(this.place, this.options.page)) this.isDirty = true;
    this.revision = revision;
  }
}
