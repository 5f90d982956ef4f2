import { undo } from "prosemirror-history";
import { Fragment, type Node, Slice } from "prosemirror-model";
import { EditorState, type Transaction } from "prosemirror-state";
import { ReplaceStep, Step, Transform } from "prosemirror-transform";
import { beforeAll, expect, it } from "vitest";

import { blockKeys } from "./block-keys";
import { imagesOf, pastedRef } from "./images";
import { changes, documentOf, Random, rebased } from "./random-edits";
import { schema } from "./schema";
import { undoing } from "./undo";
import { type Batch, confirmedDoc, isDisplaced, loadRebase, marked, received, takenBack, toJson, unconfirmed, unconfirmedSteps } from "./unconfirmed";

beforeAll(loadRebase);

/** Orders batches as the server does. */
class Server {
  readonly batches: Batch[] = [];
  private readonly docs: Node[];

  constructor(doc: Node) {
    this.docs = [doc];
  }

  get doc(): Node {
    return this.docs.at(-1) as Node;
  }

  send(client: string, number: number, version: number, steps: readonly object[]): void {
    const tr = new Transform(this.docs[version] as Node);
    for (const step of steps) tr.step(Step.fromJSON(schema, step));
    const over = this.batches.slice(version).flatMap((batch) => batch.steps.map((step) => Step.fromJSON(schema, step)));
    const adapted = rebased(tr, over);
    this.docs.push(adapted.doc);
    this.batches.push({ version: this.batches.length + 1, client, number, steps: adapted.steps.map((step) => step.toJSON() as object) });
  }
}

/** A window that takes in some of the batches at a time. */
class Window {
  state: EditorState;
  version = 0;
  private number = 0;
  private sent: { version: number; steps: object[] } | undefined;

  constructor(
    readonly name: string,
    doc: Node,
    private readonly server: Server,
  ) {
    this.state = EditorState.create({ doc, plugins: [...undoing(), blockKeys(), unconfirmedSteps()] });
  }

  readonly dispatch = (transaction: Transaction) => {
    this.state = this.state.apply(transaction);
  };

  edit(random: Random): void {
    const { tr } = this.state;
    for (const step of changes(this.state.doc, random, 1 + random.below(2)).steps) tr.step(step);
    this.dispatch(tr);
  }

  mark(): void {
    if (this.sent || unconfirmed(this.state).length === 0) return;
    this.number += 1;
    const { transaction, steps } = marked(this.state, this.number, 100);
    this.dispatch(transaction);
    this.sent = { version: this.version, steps };
  }

  /** Lets what was sent arrive at the server. */
  arrive(): void {
    if (this.sent) this.server.send(this.name, this.number, this.sent.version, this.sent.steps);
    this.sent = undefined;
  }

  take(count: number): void {
    const news = this.server.batches.slice(this.version, this.version + count);
    const transactions = received(this.state, this.name, news);
    for (let next = transactions.next(); !next.done; next = transactions.next(this.state)) this.dispatch(next.value);
    this.version += news.length;
  }

  get isWaiting(): boolean {
    return this.version < this.server.batches.length || unconfirmed(this.state).length > 0;
  }
}

it("brings all windows to the text of the server", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = new Random(seed);
    const doc = documentOf(random);
    const server = new Server(doc);
    const windows = ["a", "b", "c"].map((name) => new Window(name, doc, server));
    const waiting = new Map<Window, boolean>();
    for (let round = 0; round < 60; round += 1) {
      const window = random.of(windows);
      const choice = random.below(6);
      if (choice < 2) window.edit(random);
      else if (choice === 2 && !waiting.get(window)) {
        window.mark();
        waiting.set(window, true);
      } else if (choice === 3) {
        window.arrive();
        waiting.set(window, false);
      } else if (choice === 4) undo(window.state, window.dispatch);
      else window.take(1 + random.below(4));
      // The text without one's own changes is that of the server at this version.
      expect(confirmedDoc(window.state).content.size).toBeGreaterThan(0);
    }
    for (let tries = 0; tries < 50 && windows.some(({ isWaiting }) => isWaiting); tries += 1) {
      for (const window of windows) {
        window.arrive();
        window.take(100);
        window.mark();
      }
    }
    for (const { state } of windows) expect(state.doc.toJSON(), `seed ${seed}`).toEqual(server.doc.toJSON());
  }
}, 60_000);

const paragraphs = (...texts: string[]) =>
  schema.node("doc", null, texts.map((text) => schema.node("paragraph", null, schema.text(text))));
const textsOf = (doc: Node) => doc.content.content.map(({ textContent }) => textContent);

it("takes back a batch that the server refused, and keeps what came after it", () => {
  const server = new Server(paragraphs("One", "Two"));
  const window = new Window("a", server.doc, server);
  window.dispatch(window.state.tr.insertText("bad ", 1));
  window.mark();
  window.dispatch(window.state.tr.insertText("!", window.state.doc.content.size - 1));
  window.dispatch(takenBack(window.state, 1));
  expect(textsOf(window.state.doc)).toEqual(["One", "Two!"]);
  // What was written, and the key of its block.
  expect(unconfirmed(window.state).length).toBe(2);
  expect(textsOf(confirmedDoc(window.state))).toEqual(["One", "Two"]);
});

it("undoes what this window did, and nothing else", () => {
  const server = new Server(paragraphs("One", "Two"));
  const [own, other] = [new Window("a", server.doc, server), new Window("b", server.doc, server)];
  own.dispatch(own.state.tr.insertText("Own ", 1));
  other.dispatch(other.state.tr.insertText("Other ", 1));
  for (const window of [other, own]) {
    window.mark();
    window.arrive();
  }
  own.take(9);
  expect(textsOf(own.state.doc)).toEqual(["Other Own One", "Two"]);
  undo(own.state, own.dispatch);
  expect(textsOf(own.state.doc)).toEqual(["Other One", "Two"]);
});

it("undoes in the right order after hundreds of changes by others", () => {
  const server = new Server(paragraphs("One", "Two"));
  const [own, other] = [new Window("a", server.doc, server), new Window("b", server.doc, server)];
  own.dispatch(own.state.tr.delete(1, 2).delete(1, 2).delete(1, 2));
  own.mark();
  own.arrive();
  for (let made = 0; made < 600; made += 1) {
    other.dispatch(other.state.tr.insertText("x", other.state.doc.content.size - 1));
    other.mark();
    other.arrive();
    other.take(9);
  }
  own.dispatch(own.state.tr.insertText("!", own.state.doc.content.size - 1));
  own.take(700);
  undo(own.state, own.dispatch);
  undo(own.state, own.dispatch);
  expect(textsOf(own.state.doc)[0]).toBe("One");
});

it("undoes one change after the other if others come between and blocks get keys again", () => {
  const server = new Server(paragraphs("One", "Two"));
  const [own, other] = [new Window("a", server.doc, server), new Window("b", server.doc, server)];
  own.dispatch(own.state.tr.insertText("a", 1));
  own.dispatch(own.state.tr.insertText("b", own.state.doc.content.size - 1));
  undo(own.state, own.dispatch);
  other.dispatch(other.state.tr.insertText("x", 1));
  other.mark();
  other.arrive();
  own.take(9);
  undo(own.state, own.dispatch);
  expect(textsOf(own.state.doc)).toEqual(["xOne", "Two"]);
});

it("keeps what others wrote between the parts of what is undone", () => {
  const server = new Server(paragraphs("One"));
  const [own, other] = [new Window("a", server.doc, server), new Window("b", server.doc, server)];
  own.dispatch(own.state.tr.split(4));
  own.mark();
  own.arrive();
  for (const window of [own, other]) window.take(9);
  other.dispatch(other.state.tr.insert(5, schema.node("paragraph", null, schema.text("Other"))));
  other.mark();
  other.arrive();
  own.take(9);
  expect(textsOf(own.state.doc)).toEqual(["One", "Other", ""]);
  undo(own.state, own.dispatch);
  expect(textsOf(own.state.doc).join(" ").trim()).toBe("One Other");
});

it.each(["the removal", "the text"])("keeps what one window wrote where another one removed the paragraph: %s comes first", (first) => {
  const server = new Server(paragraphs("One two three", "Four"));
  const [writer, remover] = [new Window("a", server.doc, server), new Window("b", server.doc, server)];
  // Keys come one by one.
  for (const [at, letter] of ["a", "b", "c"].entries()) writer.dispatch(writer.state.tr.insertText(letter, 7 + at));
  remover.dispatch(remover.state.tr.delete(0, 15));
  for (const window of first === "the text" ? [writer, remover] : [remover, writer]) {
    window.mark();
    window.arrive();
  }
  for (const window of [writer, remover]) {
    window.take(9);
    expect(textsOf(window.state.doc)).toEqual(["abc", "Four"]);
    expect(window.state.doc.toJSON()).toEqual(server.doc.toJSON());
  }
});

it("takes over what the server made of a batch", () => {
  const server = new Server(paragraphs("One"));
  const window = new Window("a", server.doc, server);
  window.dispatch(window.state.tr.insertText("mine ", 1));
  window.mark();
  window.dispatch(window.state.tr.insertText("later ", 6));
  const step = new ReplaceStep(1, 1, new Slice(Fragment.from(schema.text("yours ")), 0, 0));
  server.batches.push({ version: 1, client: "a", number: 1, steps: [step.toJSON() as object] });
  window.take(1);
  expect(textsOf(window.state.doc)).toEqual(["yours later One"]);
});

it("sends no picture that only the clipboard has", () => {
  const ref = pastedRef("data:image/gif;base64,R0lGODlhAQABAAAAACw=");
  const json = JSON.stringify(toJson(schema.node("atom", { json: imagesOf(ref, "A") })));
  expect(json).toContain('"url":""');
  expect(json).not.toContain("base64");
  expect(json).toContain('"alt":"A"');
});

it("tells if the text around what somebody wrote is gone", () => {
  /** Has somebody write at a position while another one removes a range. */
  const written = (at: number, [from, to]: [number, number]) => {
    const doc = schema.node("doc", null, schema.node("paragraph", null, schema.text("One two three.")));
    let state = EditorState.create({ doc, plugins: [unconfirmedSteps()] });
    state = state.apply(state.tr.insertText("X", at));
    const steps = [new ReplaceStep(from, to, Slice.empty).toJSON() as object];
    const transactions = received(state, "own", [{ version: 1, client: "ann", number: 1, steps }]);
    let isTold = false;
    for (let next = transactions.next(); !next.done; next = transactions.next(state)) {
      state = state.apply(next.value);
      isTold ||= isDisplaced(next.value);
    }
    return [state.doc.textContent, isTold];
  };
  expect(written(7, [5, 9])).toEqual(["One Xthree.", true]);
  expect(written(5, [5, 9])).toEqual(["One Xthree.", false]);
  expect(written(2, [5, 9])).toEqual(["OXne three.", false]);
});
