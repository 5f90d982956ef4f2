import { compareNames } from "../people/order";
import type { Person } from "./carets";
import type { Positions } from "./positions";
import type { Selected } from "./together";

/** Milliseconds between two messages about what is selected. */
const INTERVAL = 120;

/** A window in a session, as the server tells of it. */
export interface Present {
  client: string;
  user: string;
  name: string;
  selection?: Selected | null;
}

/** Windows that joined a session, left it, or selected another range. */
export interface PeopleChange {
  present: readonly Present[];
  left: readonly string[];
}

interface Options {
  client: string;
  positions: Positions;
  send: (selected: Selected) => Promise<void>;
  onPeople: (people: readonly Person[]) => void;
}

/** Knows who writes the same page, and tells them what is selected here. */
export class People {
  private readonly windows = new Map<string, Present>();
  /** The windows whose selections are shown already, and move with the text. */
  private readonly placed = new Set<string>();
  private selected: { anchor: number; head: number } | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isEnded = false;

  constructor(private readonly options: Options) {}

  /** Takes over what the server tells. */
  change({ present, left }: PeopleChange): void {
    const before = this.windows.size;
    for (const client of left) this.windows.delete(client);
    for (const one of present) {
      if (one.client === this.options.client) continue;
      this.windows.set(one.client, one);
      this.placed.delete(one.client);
    }
    if (this.windows.size > before) this.later();
    this.show();
  }

  /** Forgets everybody, as the connection has ended. */
  clear(): void {
    this.windows.clear();
    this.options.onPeople([]);
  }

  /** Shows selections of a version that this window has reached. */
  moved(): void {
    if ([...this.windows.keys()].some((client) => !this.placed.has(client))) this.show();
  }

  /** Remembers what is selected in this window. */
  select(anchor: number, head: number): void {
    this.selected = { anchor, head };
    if (this.windows.size > 0) this.later();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  private later(): void {
    if (this.timer !== undefined || this.isEnded) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.send();
    }, INTERVAL);
  }

  private send(): void {
    if (!this.selected || this.windows.size === 0 || this.isEnded) return;
    const { version, own } = this.options.positions;
    const maps = [...own()].reverse();
    const before = (at: number) => maps.reduce((position, map) => map.invert().map(position), at);
    const { anchor, head } = this.selected;
    // The next selection is sent anyway.
    this.options.send({ version, anchor: before(anchor), head: before(head) }).catch(() => {});
  }

  private show(): void {
    // In the order of the tree of pages, whenever they came.
    const windows = [...this.windows.values()].sort((a, b) => compareNames([a.name, a.user], [b.name, b.user]));
    const people = windows.map(({ client, user, name, selection }): Person => {
      const maps = selection ? this.options.positions.since(selection.version) : undefined;
      if (this.placed.has(client)) return { client, user, name, isPlaced: true };
      if (!selection || !maps) return { client, user, name };
      this.placed.add(client);
      const now = (at: number) => maps.reduce((position, map) => map.map(position), at);
      return { client, user, name, anchor: now(selection.anchor), head: now(selection.head) };
    });
    this.options.onPeople(people);
  }
}
