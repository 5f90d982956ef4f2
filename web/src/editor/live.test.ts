import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { client } from "../api/client";
import { isWritable, type Place } from "../api/place";
import { draftKey, findDrafts } from "./drafts";
import { savePage } from "./request";
import { Saver, type SaveState } from "./saver";
import { schema } from "./schema";
import type { Sending } from "./together";
import { transportOf } from "./transport";
import { isRemote, toJson, unconfirmedSteps } from "./unconfirmed";
import { PageWriter } from "./writer";

const MAIN: Place = { organization: "o", space: "s" };
const LIVE: Place = { ...MAIN, live: true };
const CHANGE: Place = { ...MAIN, changeRequest: "7" };

/** A server with one session, which may refuse everything. */
class Server {
  readonly asked: string[] = [];
  readonly sent: Sending[] = [];
  refusal: { status: number; message: string } | undefined;
  private version = 0;

  readonly fetch = (path: string, { method = "GET", body }: RequestInit = {}): Promise<Response> => {
    this.asked.push(`${method} ${path.replace(/client=.*/, "client=…")}`);
    if (this.refusal) {
      const { status: code, message } = this.refusal;
      return Promise.resolve(Response.json({ error: { code, message } }, { status: code }));
    }
    if (path.includes("follow=true")) return Promise.resolve(new Response(new ReadableStream()));
    if (!path.endsWith("/steps")) return Promise.resolve(Response.json({ id: "e", version: this.version, document: toJson(paragraph("Text.")) }));
    const sending = JSON.parse(String(body)) as Sending;
    this.sent.push(sending);
    if (sending.steps.length > 0) this.version += 1;
    return Promise.resolve(Response.json({ version: this.version }));
  };

  /** Waits until a request was sent. */
  async until(request: string): Promise<void> {
    await vi.waitFor(() => expect(this.asked).toContain(request));
  }
}

const paragraph = (text: string) => schema.node("doc", null, schema.node("paragraph", null, schema.text(text)));

/** Opens a page in a place as the editor does. */
async function open(place: Place, begin = vi.fn(() => Promise.resolve(CHANGE))) {
  const states: SaveState[] = [];
  const draft = await Saver.recover(place, "p", false);
  const doc = draft?.work ? schema.nodeFromJSON(draft.work.document) : paragraph("Text.");
  const view: EditorView = new EditorView(null, {
    state: EditorState.create({ doc, plugins: [unconfirmedSteps()] }),
    dispatchTransaction(transaction) {
      view.updateState(view.state.apply(transaction));
      if (transaction.docChanged && !isRemote(transaction)) writer.changed();
    },
  });
  const writer = new PageWriter({ place, page: "p", view, draft, isSuggesting: false, begin, onState: (state) => states.push(state), onNotice: () => {}, onPeople: () => {} });
  const type = (text: string) => view.dispatch(view.state.tr.insertText(text, 1));
  return { writer, begin, states, type, draft };
}

/** Lets everything happen that waits for no time and no answer. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A socket that does not open. */
class NoSocket {
  onclose = () => {};

  constructor() {
    queueMicrotask(() => this.onclose());
  }

  close(): void {}
}

let server: Server;

beforeEach(() => {
  server = new Server();
  vi.stubGlobal("fetch", server.fetch);
  vi.stubGlobal("WebSocket", NoSocket);
});

afterEach(async () => {
  for (const place of [MAIN, LIVE, CHANGE]) await Saver.recover(place, "p", false);
  localStorage.clear();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("sends the steps of each place to the session of this place", async () => {
  const paths = async (place: Place) => {
    const found: string[] = [];
    const request = (path: string, { method = "GET" }: RequestInit) => {
      found.push(`${method} ${path}`);
      return Promise.resolve(Response.json({ items: [] }));
    };
    const transport = transportOf(place, "p", request);
    await transport.join(undefined);
    await transport.send("e", { version: 0, client: "c", number: 1, steps: [] });
    await transport.list("e", 3);
    await transport.select("e", "c", { version: 0, anchor: 1, head: 1 });
    return found;
  };
  const below = (base: string) => [
    `POST ${base}/pages/p/editing`,
    `POST ${base}/editing/e/steps`,
    `GET ${base}/editing/e/steps?version=3`,
    `PUT ${base}/editing/e/selection`,
  ];
  expect(await paths(LIVE)).toEqual(below("/bindery/spaces/s"));
  expect(await paths(CHANGE)).toEqual(below("/bindery/spaces/s/change-requests/7"));
});

it("changes the main content only where it is written live", async () => {
  expect([MAIN, LIVE, CHANGE].map(isWritable)).toEqual([false, true, true]);
  const post = vi.spyOn(client, "POST").mockResolvedValue({ data: { revision: "r2" }, response: new Response() } as never);
  expect(await savePage(LIVE, "p", { title: "New" }, undefined, "r1")).toBe("r2");
  const [path, options] = post.mock.calls[0] as unknown as [string, { body: unknown; headers: unknown }];
  expect(path).toBe("/bindery/spaces/{spaceId}/content");
  expect(options.body).toEqual({ changes: [{ operation: "update_page", page: "p", title: "New" }] });
  expect(options.headers).toEqual({ "If-Match": '"r1"' });
  await expect(savePage(MAIN, "p", { title: "New" }, undefined, "r1")).rejects.toThrow("change requests only");
  expect(post).toHaveBeenCalledTimes(1);
});

it("joins the session of a page that is written live at once, and starts no change request", async () => {
  const { writer, begin, type } = await open(LIVE);
  await server.until("POST /v1/bindery/spaces/s/pages/p/editing");
  await server.until("GET /v1/bindery/spaces/s/editing/e/steps?version=0&follow=true&client=…");
  type("More. ");
  await vi.waitFor(() => expect(server.sent).toHaveLength(1));
  expect(await writer.flush()).toBe(true);
  expect(server.sent.map(({ steps, save }) => [steps.length, save])).toEqual([[1, undefined], [0, true]]);
  expect(begin).not.toHaveBeenCalled();
  expect(server.asked.filter((path) => path.includes("change-requests"))).toEqual([]);
});

it("saves a page that is left at once", async () => {
  const { writer, type } = await open(LIVE);
  await server.until("GET /v1/bindery/spaces/s/editing/e/steps?version=0&follow=true&client=…");
  type("More. ");
  writer.dispose();
  await vi.waitFor(() => expect(server.sent.at(-1)?.save).toBe(true));
  expect(server.sent.map(({ steps, save }) => [steps.length, save])).toEqual([[1, undefined], [0, true]]);
});

it("begins with a change request where the main content is not written live", async () => {
  const { begin, type } = await open(MAIN);
  expect(server.asked).toEqual([]);
  type("More. ");
  await server.until("POST /v1/bindery/spaces/s/change-requests/7/pages/p/editing");
  expect(begin).toHaveBeenCalledTimes(1);
});

it.each([
  [409, "the space is locked"],
  [403, "the caller may not edit the space"],
])("keeps what is refused with %i for the next time that the page is written live", async (status, message) => {
  const { writer, begin, type, states } = await open(LIVE);
  await server.until("GET /v1/bindery/spaces/s/editing/e/steps?version=0&follow=true&client=…");
  server.refusal = { status, message };
  type("Mine. ");
  await vi.waitFor(async () => expect(await findDrafts(draftKey(LIVE, "p"))).toHaveLength(1));
  expect(states.at(-1)).toEqual({ kind: "failed", reason: message });
  expect(await writer.flush()).toBe(false);
  expect(writer.isWaiting).toBe(true);
  writer.dispose();
  await writer.flush();
  await turn();

  // The page is open, but not written live: nothing is published or proposed.
  server.refusal = undefined;
  server.asked.length = 0;
  const plain = await open(MAIN);
  expect(plain.draft).toBeUndefined();
  dispatchEvent(new Event("online"));
  await turn();
  expect(server.asked).toEqual([]);

  const again = await open(LIVE);
  expect(JSON.stringify(again.draft?.work?.document)).toContain("Mine. Text.");
  await server.until("POST /v1/bindery/spaces/s/pages/p/editing");
  await vi.waitFor(async () => expect(await findDrafts(draftKey(LIVE, "p"))).toEqual([]));
  expect(begin).not.toHaveBeenCalled();
  expect(again.begin).not.toHaveBeenCalled();
});

it("keeps what is written live apart from a change request of the same page", () => {
  const keys = [MAIN, LIVE, CHANGE].map((place) => draftKey(place, "p"));
  expect(new Set(keys).size).toBe(3);
});
