import { Node } from "prosemirror-model";
import type { EditorState, Transaction } from "prosemirror-state";

import { ApiError } from "../api/errors";
import { showing } from "./apply";
import type { PeopleChange } from "./people";
import { Positions } from "./positions";
import type { SaveState } from "./saver";
import { schema } from "./schema";
import { asConfirmed, type Batch, confirmedDoc, isDisplaced, loadRebase, marked, received, stepOf, takenBack, toJson, unconfirmed } from "./unconfirmed";

/** Milliseconds for which keys are collected before they are sent. */
const DELAY = 30;
/** Maximum number of milliseconds between two attempts. */
const MAX_WAIT = 15_000;
/** Maximum number of attempts that wait for an answer, each with another text. The server may have accepted any of them. */
const MAX_TRIED = 4;
/** Maximum number of steps that are sent at once. */
const MAX_STEPS = 500;
/** Milliseconds without a sign of the server after which the connection is made anew. */
const SILENCE = 40_000;

/** Changes that this window made while it was in no session, for the server to merge. */
export interface Work {
  client: string;
  number: number;
  base: object;
  document: object;
  /** Batches and work that this window sent without receiving an answer. */
  sent?: Tried[];
}

/** Work or a batch that the server may have accepted, and the text after it. */
interface Tried {
  number: number;
  document: object;
}

/** The text of a session at a version. */
export interface Joined {
  id: string;
  version: number;
  document: object;
  conflicts?: number;
}

/** Steps on their way to the server. */
export interface Sending {
  version: number;
  client: string;
  number: number;
  steps: object[];
  save?: boolean;
}

/** The connection to the server. */
export interface Transport {
  join: (work: Work | undefined) => Promise<Joined>;
  send: (session: string, sending: Sending) => Promise<{ version: number }>;
  list: (session: string, version: number) => Promise<readonly Batch[]>;
  /** Calls the listener until the connection ends; with no batches if the server only shows that it is there. */
  follow: (session: string, version: number, client: string, on: Listener, signal: AbortSignal) => Promise<void>;
  select: (session: string, client: string, selected: Selected) => Promise<void>;
}

/** The range that is selected in a window, at positions of the text of a version. */
export interface Selected {
  version: number;
  anchor: number;
  head: number;
}

/** Receives what the server sends. */
export interface Listener {
  batches: (batches: readonly Batch[]) => void;
  people: (change: PeopleChange) => void;
  /** Called when the connection stands, and when the suggestions of the page change. */
  suggestions: () => void;
}

/** The text as it is shown. */
export interface Shown {
  readonly state: EditorState;
  dispatch: (transaction: Transaction) => void;
  /** Brings the state up to what the person did just now. */
  settle?: () => void;
}

export interface Options {
  view: Shown;
  transport: Transport;
  /** The name of this window, which is random. */
  client: string;
  /** Changes that an earlier visit could not send. The text that is shown contains them. */
  earlier?: Work | undefined;
  onState: (state: SaveState) => void;
  /** Tells that a step was refused and taken back, or that others changed the same place. */
  onNotice: (notice: "refused" | "conflicts") => void;
  /** Keeps what is not confirmed in the browser, or drops it. */
  keep: (isWaiting: boolean) => void;
  /** Tells who else came, went or selected something; `undefined` if the connection ended, and nobody is known. */
  onPeople?: (change: PeopleChange | undefined) => void;
  /** Tells that the text is at a later version. */
  onMoved?: () => void;
  /** Tells that the suggestions of the page are to be read. */
  onSuggestions?: () => void;
}

function documentOf(json: object): Node {
  return Node.fromJSON(schema, json);
}

/** Writes one page together with others: sends steps, takes in those of others, and comes back after an interruption. */
export class Together {
  private session: string | undefined;
  private version = 0;
  private number = 0;
  /** The batch that was sent and not confirmed. */
  private sent: Sending | undefined;
  private running: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wait = 500;
  private isEnded = false;
  /** True if a part of the text that this window wrote may be in no revision yet. */
  private isUnsaved = false;
  private isResting = false;
  private connection: AbortController | undefined;
  private heard = 0;
  private wakers: (() => void)[] = [];
  /** The text that is shown came from elsewhere, so it is joined to that of the session first. */
  private isApart = true;

  private base: Node | undefined;
  private tried: Tried[];

  /** Brings positions of the session up to the text that is shown. */
  readonly positions = new Positions(() => unconfirmed(this.state).map(({ step }) => step.getMap()));

  constructor(private readonly options: Options) {
    const { earlier } = options;
    this.base = earlier && documentOf(earlier.base);
    this.tried = [...(earlier?.sent ?? [])];
    // A number that was tried with one text must not be sent with another one.
    this.number = Math.max((earlier?.number ?? 1) - 1, ...this.tried.map(({ number }) => number));
  }

  /** Returns whether something is not confirmed. */
  get isWaiting(): boolean {
    return this.base !== undefined || unconfirmed(this.state).length > 0;
  }

  /** Returns what is not confirmed, for the next session or a later visit. */
  get work(): Work {
    const { client } = this.options;
    const { known } = this;
    const document = toJson(this.state.doc);
    const last = this.tried.at(-1);
    const isTried = last !== undefined && JSON.stringify(last.document) === JSON.stringify(document);
    return {
      client,
      number: isTried ? last.number : this.number + 1,
      base: toJson(this.base ?? confirmedDoc(this.state)),
      document,
      ...(known.length > 0 && { sent: known }),
    };
  }

  /** Batches and work that the server may have accepted. */
  private get known(): Tried[] {
    const { sent, tried } = this;
    return [...(sent ? [{ number: sent.number, document: toJson(confirmedDoc(this.state, sent.number)) }] : []), ...tried];
  }

  /** Connects, and stays connected until the end. */
  start(): void {
    this.later(0);
  }

  /** Sends what was written after a moment. */
  changed(): void {
    if (this.sent === undefined) this.options.onState({ kind: "unsaved" });
    this.later(this.wait > 500 ? this.wait : DELAY);
  }

  /** Shows others what is selected. */
  async select(selected: Selected): Promise<void> {
    const { transport, client } = this.options;
    if (this.session !== undefined && !this.isApart) await transport.select(this.session, client, selected);
  }

  /** Ends the connection while the window is hidden, unless something is not confirmed. */
  rest(isHidden: boolean): void {
    this.isResting = isHidden;
    if (!isHidden) return this.now();
    if (this.isWaiting) return;
    this.connection?.abort();
    this.connection = undefined;
    this.options.onPeople?.(undefined);
  }

  /** Goes on at once, such as when the network is back. */
  readonly now = (): void => this.later(0);

  /** Sends everything and waits until it is confirmed and saved as a revision. Returns `false` if it did not succeed. */
  async flush(): Promise<boolean> {
    for (let tries = 0; tries < 100 && !this.isEnded; tries += 1) {
      await this.once();
      if (this.wait > 500) return false;
      if (!this.isWaiting) break;
      await this.news(200);
    }
    if (this.isWaiting || this.session === undefined || !this.isUnsaved) return !this.isWaiting;
    const { client } = this.options;
    try {
      this.isUnsaved = false;
      await this.options.transport.send(this.session, { version: this.version, client, number: this.number + 1, steps: [], save: true });
      return true;
    } catch {
      this.isUnsaved = true;
      return false;
    }
  }

  /** Ends the connection. What is not confirmed stays in the browser. */
  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
    this.connection?.abort();
    this.wake();
  }

  private get state(): EditorState {
    return this.options.view.state;
  }

  private later(milliseconds: number): void {
    if (this.isEnded) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.once(), milliseconds);
  }

  private wake(): void {
    const wakers = this.wakers;
    this.wakers = [];
    for (const waker of wakers) waker();
  }

  /** Waits until the server sends something, or for some time. */
  private news(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wakers.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private once(): Promise<void> {
    this.running ??= this.round().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async round(): Promise<void> {
    clearTimeout(this.timer);
    const { onState, keep } = this.options;
    try {
      if (this.session === undefined || this.isApart) await this.join();
      if (this.isEnded) return;
      this.connect();
      if (this.isWaiting) {
        onState({ kind: "saving" });
        await this.send();
      }
      this.wait = 500;
      if (this.isWaiting) this.later(this.sent === undefined ? DELAY : 1_000);
      else {
        keep(false);
        onState({ kind: "saved" });
      }
    } catch (error) {
      if (this.isEnded) return;
      if (this.mend(error)) return this.later(0);
      keep(true);
      onState({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
      this.wait = Math.min(this.wait * 2, MAX_WAIT);
      this.later(this.wait);
    }
  }

  /** Returns whether the cause of an error is out of the way. */
  private mend(error: unknown): boolean {
    if (!(error instanceof ApiError)) return false;
    const isOver = error.status === 409 || error.status === 404;
    if (isOver && !this.isApart) {
      this.leave();
      return true;
    }
    if (error.status !== 400 && error.status !== 413) return false;
    if (this.sent === undefined) return false;
    this.options.view.settle?.();
    this.options.view.dispatch(takenBack(this.state, this.sent.number));
    this.sent = undefined;
    this.options.onNotice("refused");
    return true;
  }

  /** Forgets the session. The text is merged into the next one. */
  private leave(): void {
    this.isApart = true;
    this.connection?.abort();
    this.connection = undefined;
    this.later(0);
  }

  /** Takes part in the session, and has the server merge what was written before, or during it. */
  private async join(): Promise<void> {
    const { view, transport, onNotice } = this.options;
    let hasConflicts = false;
    for (;;) {
      // After some attempts without an answer, the last one is repeated until the server says which it has accepted.
      const isFull = this.tried.length + (this.sent ? 1 : 0) >= MAX_TRIED;
      const last = isFull ? this.tried.at(-1) : undefined;
      const work = this.isWaiting ? { ...this.work, ...last } : undefined;
      const doc = last ? documentOf(last.document) : view.state.doc;
      if (work) {
        this.isUnsaved = true;
        this.number = Math.max(this.number, work.number);
        if (this.tried.at(-1)?.number !== work.number) this.tried.push({ number: work.number, document: work.document });
      }
      const [joined] = await Promise.all([transport.join(work), loadRebase()]);
      if (this.isEnded) return;
      hasConflicts ||= (joined.conflicts ?? 0) > 0;
      this.sent = undefined;
      this.tried = [];
      this.session = joined.id;
      this.version = joined.version;
      // Changes that the person made meanwhile begin with the text that was sent.
      this.base = doc;
      if (!view.state.doc.eq(doc)) continue;
      this.base = undefined;
      view.settle?.();
      view.dispatch(asConfirmed(showing(view.state, documentOf(joined.document))));
      this.isApart = false;
      this.positions.begin(joined.id, joined.version);
      if (hasConflicts) onNotice("conflicts");
      return;
    }
  }

  private connect(): void {
    if (this.isResting && !this.isWaiting) return;
    if (this.connection !== undefined && Date.now() - this.heard < SILENCE) return;
    this.connection?.abort();
    if (this.session === undefined) return;
    const connection = new AbortController();
    this.connection = connection;
    this.heard = Date.now();
    const take = (batches: readonly Batch[]) => {
      this.heard = Date.now();
      if (this.connection === connection) this.take(batches);
    };
    const ended = () => {
      if (this.connection !== connection) return;
      this.connection = undefined;
      onPeople?.(undefined);
      if (this.isResting && !this.isWaiting) return;
      this.later(this.wait > 500 ? this.wait : 100 + Math.random() * 400);
    };
    const people = (change: PeopleChange) => {
      if (this.connection === connection) onPeople?.(change);
    };
    const { transport, client, onPeople, onSuggestions = () => {} } = this.options;
    transport.follow(this.session, this.version, client, { batches: take, people, suggestions: onSuggestions }, connection.signal).then(ended, (error: unknown) => {
      if (this.connection === connection && error instanceof ApiError && (error.status === 409 || error.status === 404)) this.leave();
      ended();
    });
  }

  /** Sends what is not confirmed, unless a batch is on its way. */
  private async send(): Promise<void> {
    const { view, transport, client } = this.options;
    if (this.session === undefined) return;
    if (this.sent === undefined) {
      view.settle?.();
      const most = Math.min(unconfirmed(this.state).length, MAX_STEPS);
      this.number += 1;
      const { transaction, steps } = marked(this.state, this.number, most);
      view.dispatch(transaction);
      this.sent = { version: this.version, client, number: this.number, steps };
      this.isUnsaved = true;
    }
    const { sent } = this;
    const { version } = await transport.send(this.session, sent);
    if (this.sent !== sent) return;
    if (version === this.version + 1 && sent.version === this.version) {
      this.take([{ version, client, number: sent.number, steps: sent.steps }]);
    } else {
      await this.news(1_000);
      if (this.sent === sent && this.session !== undefined) this.take(await transport.list(this.session, this.version));
    }
  }

  /** Takes in what the server accepted. */
  private take(batches: readonly Batch[]): void {
    const { view, client, onNotice } = this.options;
    const news = batches.filter(({ version }) => version > this.version);
    const [first, last] = [news[0], news.at(-1)];
    if (!first || !last || this.isApart || this.isEnded) return;
    if (first.version !== this.version + 1) return this.leave();
    view.settle?.();
    let hasConflicts = news.some(({ conflicts = 0 }) => conflicts > 0);
    try {
      const transactions = received(view.state, client, news);
      for (let next = transactions.next(); !next.done; next = transactions.next(view.state)) {
        view.dispatch(next.value);
        hasConflicts ||= isDisplaced(next.value);
      }
    } catch {
      // The text is not that of the server any more.
      return this.leave();
    }
    this.version = last.version;
    for (const { steps } of news) this.positions.moved(steps.map((step) => stepOf(step).getMap()));
    this.options.onMoved?.();
    if (news.some((batch) => batch.client === client && batch.number === this.sent?.number)) this.sent = undefined;
    if (hasConflicts) onNotice("conflicts");
    this.wake();
    if (this.isWaiting && this.sent === undefined) this.later(0);
  }
}
