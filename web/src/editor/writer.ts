import type { EditorView } from "prosemirror-view";

import { request } from "../api/client";
import { isWritable, type Place } from "../api/place";
import type { Person } from "./carets";
import { type Draft, draftKey, type Fields, sendDrafts } from "./drafts";
import { laterCarets, laterSocket } from "./later";
import type { People, PeopleChange } from "./people";
import type { Positions } from "./positions";
import { Saver, type SaveState } from "./saver";
import { noSurface } from "./surface";
import { type Shown, Together, type Transport } from "./together";
import { type Request, transportOf } from "./transport";
import { settle } from "./unconfirmed";

interface Options {
  place: Place;
  page: string;
  view: EditorView;
  draft: Draft | undefined;
  /** True if the text is the person's suggestions for the page. */
  isSuggesting: boolean;
  /** Starts a change request for a page of the main content. */
  begin: () => Promise<Place>;
  onState: (state: SaveState) => void;
  onNotice: (notice: "refused" | "conflicts") => void;
  onPeople: (people: readonly Person[]) => void;
}

/** The names of states, from the one that matters most. */
const ORDER = ["failed", "saving", "unsaved", "saved"];

/** Returns a random name. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** Sends a request through the socket once it is loaded. A request that goes on waits for that. */
const send: Request = async (path, init) => {
  const loading = laterSocket.load().catch(() => request);
  return (init.signal ? await loading : (laterSocket.now ?? request))(path, init);
};

/** Returns the text of a view, which goes on after the view is gone. */
function shownIn(view: EditorView): Shown {
  let left = view.state;
  return {
    get state() {
      return view.isDestroyed ? left : (left = view.state);
    },
    dispatch(transaction) {
      if (view.isDestroyed) left = left.apply(transaction);
      else view.dispatch(transaction);
    },
    settle() {
      settle(view);
    },
  };
}

/** Saves a page that is written in blocks: its text together with others, and its fields. */
export class PageWriter {
  private readonly saver: Saver;
  private readonly together: Together;
  private readonly client: string;
  private people: People | undefined;
  /** True if somebody else was there. */
  private isShared = false;
  private place: Place;
  private hasStarted = false;
  private isLeaving = false;
  private states: Record<"fields" | "text", SaveState> = { fields: { kind: "saved" }, text: { kind: "saved" } };

  /** Receives news of the suggestions on the page, once they are shown. */
  suggestions: { changed: () => void; moved: () => void } | undefined;

  constructor(private readonly options: Options) {
    const { place, page, view, draft, isSuggesting, begin, onNotice } = options;
    this.place = place;
    const { work } = draft ?? {};
    this.client = work?.client ?? randomName();
    this.together = new Together({
      view: shownIn(view),
      transport: this.transport(),
      client: this.client,
      earlier: work,
      onState: (state) => this.show("text", state),
      onNotice,
      onPeople: this.others,
      onMoved: () => {
        this.people?.moved();
        this.suggestions?.moved();
      },
      onSuggestions: () => this.suggestions?.changed(),
      keep: (isWaiting) => (isWaiting ? this.saver.keep() : this.saver.drop()),
    });
    this.saver = new Saver({
      place,
      page,
      isSuggesting,
      surface: noSurface,
      begin,
      onState: (state) => this.show("fields", state),
      work: () => (this.together.isWaiting ? this.together.work : undefined),
      onStop: () => {
        removeEventListener("online", this.together.now);
        document.removeEventListener("visibilitychange", this.rest);
        this.together.end();
        this.people?.end();
      },
    });
    if (draft) this.saver.set(draft.fields);
    if (isWritable(place) || work) this.start();
  }

  /** Remembers that the text has changed. */
  changed(): void {
    this.start();
    this.together.changed();
  }

  /** Shows others what is selected. */
  select(anchor: number, head: number): void {
    this.people?.select(anchor, head);
  }

  /** Brings positions of the session up to the text that is shown. */
  get positions(): Positions {
    return this.together.positions;
  }

  /** Changes the title or the description. */
  set(fields: Fields): void {
    this.saver.set(fields);
  }

  /** Returns `true` if something is not saved yet. */
  get isWaiting(): boolean {
    return this.saver.isWaiting || this.together.isWaiting;
  }

  /** Goes on in another content. Returns `false`, because the text of the session there is shown by itself. */
  move(place: Place): boolean {
    this.saver.move(place);
    this.place = place;
    if (isWritable(place)) this.start();
    return false;
  }

  /** Saves at once and waits for it. Returns `false` if it did not succeed. */
  async flush(): Promise<boolean> {
    const isSaved = await this.saver.flush();
    if (!this.hasStarted) return isSaved;
    const isTextSaved = await this.together.flush();
    if (isTextSaved) this.saver.forget();
    return isSaved && isTextSaved;
  }

  /**
   * Ends as soon as everything is saved. What is not saved until then stays in the browser. What was
   * written live is tried once more only, so that nothing is published while the person does something else.
   */
  dispose(): void {
    this.isLeaving = true;
    this.saver.keep();
    void this.flush().then(() => (this.place.live ? this.saver.stop() : this.leave()));
  }

  private leave(): void {
    if (this.isLeaving && !this.isWaiting) this.saver.dispose();
  }

  private readonly rest = () => this.together.rest(document.visibilityState === "hidden");

  /** Shows who else is there. Nobody is most of the time. */
  private readonly others = (change: PeopleChange | undefined) => {
    this.isShared ||= change?.present.some(({ client }) => client !== this.client) ?? false;
    if (!this.isShared) return;
    const { client, together, options } = this;
    const { positions } = together;
    const show = ({ People }: typeof import("./carets")) => {
      this.people ??= new People({ client, positions, send: (selected) => together.select(selected), onPeople: options.onPeople });
      if (change) this.people.change(change);
      else this.people.clear();
    };
    laterCarets.load().then(show, () => {});
  };

  private start(): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    // When the network is back, a page of the main content that nobody has changed must start no change request.
    addEventListener("online", this.together.now);
    document.addEventListener("visibilitychange", this.rest);
    this.together.start();
  }

  private show(part: "fields" | "text", state: SaveState): void {
    if (part === "text" && state.kind === "saving") this.saver.outdated();
    this.states = { ...this.states, [part]: state };
    if (state.kind === "saved") this.leave();
    const { fields, text } = this.states;
    this.options.onState(ORDER.indexOf(fields.kind) < ORDER.indexOf(text.kind) ? fields : text);
  }

  /** Returns a connection that begins with a change request if there is none. */
  private transport(): Transport {
    const { page, begin, isSuggesting } = this.options;
    const at = (): Transport => transportOf(this.place, page, send, isSuggesting);
    return {
      join: async (work) => {
        if (!isWritable(this.place)) this.move(await begin());
        const joined = await at().join(work);
        void sendDrafts(draftKey(this.place, page, isSuggesting), (left) => at().join(left)).catch(() => {});
        return joined;
      },
      send: (session, sending) => at().send(session, sending),
      list: (session, version) => at().list(session, version),
      follow: (...args) => at().follow(...args),
      select: (...args) => at().select(...args),
    };
  }
}
