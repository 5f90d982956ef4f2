import type { Positions } from "./positions";

/** Milliseconds for which news are collected before the suggestions are read. */
const DELAY = 150;
/** Maximum number of milliseconds that reading waits while more news arrive. */
const MAX_DELAY = 1_000;

/** A range of a text. */
export interface Span {
  from: number;
  to: number;
}

/** A difference between the text of a page and the copy of a person who suggests. */
export interface Suggestion extends Span {
  id: string;
  /** Absent if the user was deleted. */
  author?: { id: string; displayName: string; photoURL?: string };
  kind: "insert" | "delete" | "replace" | "format";
  before: string;
  after: string;
  /** The version of the page's session to which the range belongs; absent if the page has none. */
  version?: number;
  /** The new text in the author's copy, which is a session as well. */
  suggested: Span & { session: string; version: number };
}

/** A suggestion at its place in the text that is shown. */
export interface Mark extends Span {
  suggestion: Suggestion;
}

export type Decision = "accept" | "refuse";

/** The suggestions on a page as they are shown. */
export interface Shown {
  items: readonly Suggestion[];
  /** The suggestion to which keys and buttons apply. */
  current: Suggestion | undefined;
}

interface Options {
  /** True if the text is the person's own copy. */
  isOwn: boolean;
  positions: Positions;
  /** Returns `true` while the text takes no marks, such as while an input method composes. */
  isBusy: () => boolean;
  read: () => Promise<readonly Suggestion[]>;
  decide: (decision: Decision, ids: readonly string[]) => Promise<void>;
  onShow: (shown: Shown) => void;
  /** Receives the places of the suggestions in the text, before they are shown. */
  onPlace: (marks: readonly Mark[]) => void;
  /** Shows the text of a suggestion that the person asked for. */
  onGo: (id: string) => void;
  onDecided: (decision: Decision, left: number) => void;
  onFailed: (error: unknown) => void;
}

/** Returns a text as it is shown beside others: without the breaks at its ends, and a break alone as a sign. */
export function shownText(text: string): string {
  const inner = text.replace(/^\n+|\n+$/g, "");
  return inner === "" && text !== "" ? "↵" : inner;
}

/** Returns a range after a change of the text. A range of one's own copy takes in what is written at its ends. */
export function mapped({ from, to }: Span, map: (at: number, side: number) => number, isOwn: boolean): Span {
  if (isOwn) return { from: map(from, -1), to: map(to, 1) };
  const start = map(from, 1);
  return { from: start, to: Math.max(start, map(to, -1)) };
}

/** Knows the suggestions on a page, and which of them is current. */
export class SuggestionList {
  private items: readonly Suggestion[] = [];
  private current: string | undefined;
  /** An answer that belongs to a version that this window has not reached. */
  private coming: readonly Suggestion[] | undefined;
  /** The version at which a part of what was read had no place in the text any more. */
  private missed: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private waitsSince: number | undefined;
  /** Number of the decisions that were begun, and ended. What was read before the last one is outdated. */
  private decisions = 0;
  private isEnded = false;

  constructor(private readonly options: Options) {}

  /** Reads the suggestions after a moment. */
  readonly changed = (): void => {
    if (this.isEnded) return;
    clearTimeout(this.timer);
    this.waitsSince ??= Date.now();
    const most = Math.max(0, this.waitsSince + MAX_DELAY - Date.now());
    this.timer = setTimeout(() => void this.read(), Math.min(DELAY, most));
  };

  /** Shows suggestions for the version that the text has now. */
  readonly moved = (): void => {
    if (this.coming) this.take(this.coming);
    // The differences to the page are others after each change of the copy.
    if (this.options.isOwn) this.changed();
  };

  /** Makes a suggestion the current one. */
  choose(id: string): void {
    if (!this.items.some((item) => item.id === id)) return;
    this.current = id;
    this.show();
    this.options.onGo(id);
  }

  /** Makes the next suggestion the current one, or a previous one; begins again at the end. */
  step(by: 1 | -1): void {
    const { length } = this.items;
    const at = this.items.findIndex(({ id }) => id === this.current);
    const next = at < 0 ? (by > 0 ? 0 : length - 1) : (at + by + length) % length;
    const item = this.items[next];
    if (item) this.choose(item.id);
  }

  /** Accepts or refuses some suggestions. The one after them becomes the current one. */
  async decide(decision: Decision, ids: readonly string[]): Promise<void> {
    const { onGo, onDecided, onFailed } = this.options;
    const left = this.items.filter(({ id }) => !ids.includes(id));
    const decided = this.items.length - left.length;
    if (decided === 0) return;
    this.decisions += 1;
    this.coming = undefined;
    this.showNext(left);
    onDecided(decision, left.length);
    if (this.current !== undefined) onGo(this.current);
    try {
      await this.options.decide(decision, ids);
    } catch (error) {
      if (!this.isEnded) onFailed(error);
    }
    this.decisions += 1;
    this.changed();
  }

  /** Decides on all suggestions. */
  decideAll(decision: Decision): Promise<void> {
    return this.decide(decision, this.items.map(({ id }) => id));
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  private async read(): Promise<void> {
    this.waitsSince = undefined;
    if (this.options.isBusy()) return this.changed();
    const { decisions } = this;
    // The next change, or the next connection, leads to another attempt.
    const found = await this.options.read().catch(() => undefined);
    if (found && !this.isEnded && decisions === this.decisions) this.take(found);
  }

  /** Shows what was read, as soon as all of it has a place in the text. */
  private take(found: readonly Suggestion[]): void {
    const { isOwn, positions, onPlace } = this.options;
    // The server lists the suggestions of one person after those of another one.
    const items = isOwn ? found.filter(({ suggested }) => suggested.session === positions.session) : [...found].sort((a, b) => a.from - b.from);
    const versionOf = ({ version, suggested }: Suggestion) => (isOwn ? suggested.version : (version ?? positions.version));
    this.coming = items.some((item) => versionOf(item) > positions.version) ? found : undefined;
    if (this.coming) return;
    const marks = items.flatMap((suggestion) => {
      const maps = positions.since(versionOf(suggestion));
      const map = (at: number, side: number) => (maps ?? []).reduce((position, one) => one.map(position, side), at);
      return maps ? [{ suggestion, ...mapped(isOwn ? suggestion.suggested : suggestion, map, isOwn) }] : [];
    });
    // The next answer is about a version that is remembered.
    if (marks.length < items.length && this.missed !== positions.version) {
      this.missed = positions.version;
      this.changed();
    }
    onPlace(marks);
    this.showNext(items);
  }

  /** Shows other suggestions. The one that takes the place of the current one becomes current if that is gone. */
  private showNext(items: readonly Suggestion[]): void {
    if (this.current !== undefined && !items.some(({ id }) => id === this.current)) {
      const at = this.items.findIndex(({ id }) => id === this.current);
      this.current = items[Math.min(at, items.length - 1)]?.id;
    }
    this.items = items;
    this.show();
  }

  private show(): void {
    const { items, current } = this;
    this.options.onShow({ items, current: items.find(({ id }) => id === current) });
  }
}
