import { history, undo } from "prosemirror-history";
import { EditorState, type Transaction } from "prosemirror-state";
import { canSplit, Transform } from "prosemirror-transform";
import { expect, test } from "vitest";

import { answered } from "../api/client";
import { ApiError } from "../api/errors";
import { change, Random } from "./random-edits";
import { schema } from "./schema";
import { type Shown, Together } from "./together";
import { type Request, transportOf } from "./transport";
import { isRemote, unconfirmedSteps } from "./unconfirmed";

/**
 * Many people in one page of a running server. `BINDERY_TOGETHER` names the addresses of its nodes with
 * commas between them, a token, a seed, the number of people and the seconds for which they write.
 */
const [servers = "", token, first = "1", count = "5", seconds = "10"] = (process.env["BINDERY_TOGETHER"] ?? "").split(" ");
const nodes = servers.split(",");

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const requestOf =
  (server: string, isCut: () => boolean): Request =>
  async (path, init) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    // A cut comes before the request, or after it and before its answer.
    if (isCut()) throw new ApiError(0, "cut", "cut");
    const found = await answered(fetch(`${server}/v1${path}`, { ...init, headers }), () => {});
    if (isCut()) throw new ApiError(0, "cut", "cut");
    return found;
  };

async function api<T>(path: string, body?: object): Promise<T> {
  const init = body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {};
  return (await requestOf(nodes[0] ?? "", () => false)(path, init)).json() as Promise<T>;
}

/** A person with a window of their own. */
class Person implements Shown {
  state: EditorState;
  readonly together: Together;
  /** The words that the person wrote and did not undo. */
  written: string[] = [];
  isCut = false;

  constructor(
    readonly name: string,
    private readonly random: Random,
    place: { space: string; changeRequest: string },
    page: string,
    server: string,
    private readonly isTyping: boolean,
  ) {
    this.state = EditorState.create({ doc: schema.node("doc", null, schema.node("paragraph")), plugins: [history(), unconfirmedSteps()] });
    const request = requestOf(server, () => this.isCut || (this.random.below(40) === 0 && this.random.below(2) === 0));
    this.together = new Together({
      view: this,
      transport: transportOf({ organization: "", ...place }, page, request),
      client: name,
      onState: () => {},
      onNotice: () => {},
      keep: () => {},
    });
    this.together.start();
  }

  dispatch(transaction: Transaction): void {
    this.state = this.state.apply(transaction);
    if (transaction.docChanged && !isRemote(transaction)) this.together.changed();
  }

  /** Writes a word that nobody else writes, takes back the last change, or makes a random one. */
  write(): void {
    const { doc } = this.state;
    if (this.random.below(12) === 0) {
      undo(this.state, (transaction) => this.dispatch(transaction));
      const text = this.state.doc.textContent;
      this.written = this.written.filter((word) => text.includes(word));
      return;
    }
    const tried = new Transform(doc);
    if (this.isTyping) {
      let at = this.random.below(doc.content.size + 1);
      const $at = doc.resolve(at);
      if (!$at.parent.isTextblock) return;
      // A word stays in one piece.
      const text = $at.parent.textContent;
      const before = text.slice(0, $at.parentOffset);
      if (before.lastIndexOf("<") > before.lastIndexOf(">")) at += text.indexOf(">", $at.parentOffset) + 1 - $at.parentOffset;
      if (this.random.below(6) === 0 && canSplit(doc, at)) tried.split(at);
      else {
        const word = `<${this.name}.${this.written.length}.${this.random.below(1e6)}>`;
        tried.insert(at, schema.text(word));
        this.written.push(word);
      }
    } else {
      try {
        change(tried, this.random);
        for (const one of [...tried.docs, tried.doc]) one.check();
      } catch {
        return;
      }
    }
    if (tried.steps.length === 0) return;
    const { tr } = this.state;
    for (const step of tried.steps) tr.step(step);
    this.dispatch(tr);
  }
}

async function settled(people: Person[]): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    for (const person of people) person.together.now();
    await pause(200);
    const [one] = people;
    if (people.every(({ together }) => !together.isWaiting) && people.every(({ state }) => state.doc.eq((one as Person).state.doc))) return;
  }
  const texts = people.map(({ name, together, state }) => `${name} ${together.isWaiting} ${state.doc.content.size}`);
  throw new Error(`the texts differ: ${texts.join(", ")}`);
}

const begin = async () => {
  const organization = (await api<{ items: { id: string }[] }>("/orgs")).items[0]?.id ?? "";
  const space = (await api<{ id: string }>(`/orgs/${organization}/spaces`, { title: "Together" })).id;
  const request = await api<{ number: number }>(`/spaces/${space}/change-requests`, {});
  const place = { space, changeRequest: String(request.number) };
  const markdown = "# Page\n\nOne.\n\nTwo.\n\n* a\n* b\n\n| a | b |\n| - | - |\n| c | d |\n";
  const changes = [{ operation: "insert_page", title: "Page", document: { markdown } }];
  const made = await api<{ changes: { page: { id: string } }[] }>(`/spaces/${space}/change-requests/${request.number}/content?compat=false`, { changes });
  return { place, page: made.changes[0]?.page.id ?? "" };
};

test.runIf(token !== undefined)("many people write one page", async () => {
  const seed = Number(first);
  const isTyping = seed % 2 === 0;
  const { place, page } = await begin();
  const people = Array.from({ length: Number(count) }, (_, at) => new Person(`p${at}`, new Random(seed * 1_000 + at), place, page, nodes[at % nodes.length] ?? "", isTyping));
  const end = Date.now() + Number(seconds) * 1_000;
  const random = new Random(seed);
  const write = async (person: Person) => {
    while (Date.now() < end) {
      person.write();
      await pause(20 + random.below(200));
    }
  };
  const cut = async () => {
    while (Date.now() < end) {
      await pause(random.below(2_000));
      const person = random.of(people);
      person.isCut = true;
      await pause(random.below(1_500));
      person.isCut = false;
    }
  };
  // A program reads the page and writes it again later, with another paragraph.
  const added: string[] = [];
  const program = async () => {
    const path = `/spaces/${place.space}/change-requests/${place.changeRequest}/content`;
    while (isTyping && Date.now() < end) {
      try {
        const { markdown } = await api<{ markdown: string }>(`${path}/page/${page}?format=markdown`);
        await pause(random.below(3_000));
        const word = `<program.${added.length}.${seed}>`;
        const document = { markdown: `${markdown}\n\n\\${word}\n` };
        await api(`${path}?compat=false`, { changes: [{ operation: "update_page", page, document }] });
        added.push(word);
      } catch {
        // The node does not answer.
      }
      await pause(random.below(3_000));
    }
  };
  await Promise.all([...people.map(write), cut(), program()]);
  for (const person of people) person.isCut = false;
  await settled(people);
  const text = (people[0] as Person).state.doc.textContent;
  const missing = [...added, ...people.flatMap(({ written }) => written)].filter((word) => !text.includes(word));
  expect(missing, `seed ${seed}`).toEqual([]);
  // Requests still fail now and then.
  let isSaved = false;
  for (let tries = 0; !isSaved && tries < 10; tries += 1) isSaved = await (people[0] as Person).together.flush();
  expect(isSaved).toBe(true);
  const joined = await api<{ document: object; saved: number; version: number }>(`/bindery/spaces/${place.space}/change-requests/${place.changeRequest}/pages/${page}/editing`, {});
  expect((people[0] as Person).state.doc.toJSON()).toEqual(joined.document);
  expect(joined.saved).toBe(joined.version);
  const read = await api<{ document: object }>(`/spaces/${place.space}/change-requests/${place.changeRequest}/content/page/${page}?format=document`);
  const plain = JSON.stringify(read.document);
  expect(people.flatMap(({ written }) => written.filter((word) => !plain.includes(word)))).toEqual([]);
  console.log(`seed ${seed}: ${people.length} people, ${joined.version} batches, ${people.reduce((sum, { written }) => sum + written.length, 0)} words and ${added.length} of a program, ${(people[0] as Person).state.doc.content.size} positions`);
  for (const { together } of people) together.end();
}, 600_000);
