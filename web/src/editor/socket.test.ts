import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { answered } from "../api/client";
import { ApiError } from "../api/errors";
import { Connection } from "./socket";
import type { Listener } from "./together";
import { type Request, transportOf } from "./transport";

const PATH = "/bindery/spaces/s/editing/e/steps";
const FOLLOW = `${PATH}?version=3&follow=true&client=own`;
const LOST = { status: 0, code: "unreachable", message: "The server cannot be reached" };

interface Frame {
  id: number;
  method?: string;
  path?: string;
  body?: unknown;
  cancel?: boolean;
}

/** A socket whose other end is the test. */
class FakeSocket {
  static made: FakeSocket[] = [];
  readyState = 0;
  readonly frames: Frame[] = [];
  onopen = () => {};
  onclose = () => {};
  onmessage = (_event: { data: unknown }) => {};

  constructor(readonly url: string) {
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.frames.push(JSON.parse(text) as Frame);
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.onopen();
  }

  /** Ends the socket as the server or the network does. */
  cut(): void {
    this.readyState = 3;
    this.onclose();
  }

  answer(...frames: object[]): void {
    for (const frame of frames) this.onmessage({ data: JSON.stringify(frame) });
  }
}

/** The socket that was made last. */
const last = () => FakeSocket.made.at(-1) as FakeSocket;
const sockets = () => FakeSocket.made.length;

const post = (body: object): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
const turn = () => vi.advanceTimersByTimeAsync(0);

let visibility: DocumentVisibilityState = "visible";
let fetched: string[] = [];
let byFetch: Request = () => Promise.resolve(Response.json({ by: "fetch" }));
let connection: Connection;

/** Opens the socket, and has it answer a request if `hasAnswered`. */
async function opened(hasAnswered = true): Promise<FakeSocket> {
  void connection.open();
  const socket = last();
  socket.open();
  if (hasAnswered) {
    const answer = connection.request(PATH, {});
    await turn();
    socket.answer({ id: socket.frames[0]?.id, status: 200, body: {} });
    await answer;
  }
  return socket;
}

/** Returns the error of a request that fails, without its stack. */
async function errorOf(answer: Promise<unknown>): Promise<object> {
  const error = await answer.then(
    () => expect.fail("it succeeded"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  const { status, code, message } = error as ApiError;
  return { status, code, message };
}

const by = async (answer: Promise<Response>) => ((await (await answer).json()) as { by: string }).by;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  FakeSocket.made = [];
  fetched = [];
  byFetch = () => Promise.resolve(Response.json({ by: "fetch" }));
  connection = new Connection((path, init) => {
    fetched.push(path);
    return byFetch(path, init);
  });
});

afterEach(() => {
  for (const socket of FakeSocket.made) socket.cut();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("sends requests as frames, and takes answers in any order", async () => {
  const socket = await opened();
  expect(socket.url).toBe("ws://localhost:3000/v1/bindery/connection");
  const answers = [connection.request(PATH, post({ number: 1 })), connection.request(`${PATH}?version=2`, {}), connection.request(PATH, { method: "PUT", body: "{}" })];
  await turn();
  expect(socket.frames.slice(1)).toEqual([
    { id: 2, method: "POST", path: PATH, body: { number: 1 } },
    { id: 3, method: "GET", path: `${PATH}?version=2` },
    { id: 4, method: "PUT", path: PATH, body: {} },
  ]);
  socket.answer({ id: 4, status: 204 }, { id: 3, status: 200, body: { items: [] } }, { id: 2, status: 200, body: { version: 4 } });
  const [first, second, third] = (await Promise.all(answers)) as [Response, Response, Response];
  expect([await first.json(), await second.json(), third.status]).toEqual([{ version: 4 }, { items: [] }, 204]);
  expect(fetched).toEqual([]);
});

it.each([
  [400, { error: { code: 400, message: "a step does not fit" } }],
  [404, { error: { code: "gone", message: "no session" } }],
  [409, undefined],
  [429, { error: { code: 429, message: "too many requests" } }],
  [503, { error: {} }],
])("throws the error that fetch gives for %i", async (status, body) => {
  const socket = await opened();
  const answer = errorOf(connection.request(PATH, post({})));
  await turn();
  socket.answer({ id: 2, status, body });
  const text = body === undefined ? null : JSON.stringify(body);
  expect(await answer).toEqual(await errorOf(answered(Promise.resolve(new Response(text, { status })), () => {})));
  expect([sockets(), fetched]).toEqual([1, []]);
});

it("follows a stream whose events are split anywhere", async () => {
  const socket = await opened();
  const found: unknown[] = [];
  const on: Listener = {
    batches: (batches) => found.push(batches.map(({ version }) => version)),
    people: ({ left }) => found.push(left),
    suggestions: () => found.push("suggestions"),
  };
  const followed = transportOf({ organization: "o", space: "s" }, "p", connection.request).follow("e", 3, "own", on, new AbortController().signal);
  await turn();
  expect(socket.frames[1]).toEqual({ id: 2, method: "GET", path: FOLLOW });
  socket.answer({ id: 2, status: 200, stream: true });
  const text = 'data: [{"version":4,"steps":[]}]\n\n: here\n\nevent: people\ndata: {"present":[],"left":["Zoë"]}\n\n';
  for (const part of text) socket.answer({ id: 2, data: part });
  socket.answer({ id: 2, end: true });
  await followed;
  expect(found).toEqual([[], "suggestions", [4], [], ["Zoë"]]);
});

it("cancels a stream, and a request without an answer", async () => {
  const socket = await opened();
  const [one, two] = [new AbortController(), new AbortController()];
  const streaming = connection.request(FOLLOW, { signal: one.signal });
  const waiting = connection.request(FOLLOW, { signal: two.signal });
  await turn();
  socket.answer({ id: 2, status: 200, stream: true }, { id: 2, data: "data: []\n\n" });
  const reader = (await streaming).body?.getReader();
  await reader?.read();
  const read = reader?.read();
  // The reason that jsdom gives is of another class than that of the tests.
  const reason = new DOMException("aborted", "AbortError");
  one.abort(reason);
  two.abort(reason);
  await expect(read).rejects.toBe(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(socket.frames.slice(3)).toEqual([{ id: 2, cancel: true }, { id: 3, cancel: true }]);
  socket.answer({ id: 2, data: "late" }, { id: 3, status: 200, stream: true }, { id: 2, end: true });
  await expect(connection.request(PATH, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect([socket.frames.length, socket.readyState, fetched]).toEqual([5, 1, []]);
});

it("serves two editors with one socket", async () => {
  const places = ["a", "b"].map((space) => transportOf({ organization: "o", space }, "p", connection.request));
  void connection.open();
  await opened();
  const answers = places.map((transport, at) => transport.send("e", { version: at, client: "c", number: 1, steps: [] }));
  await turn();
  expect(last().frames.slice(1).map(({ path }) => path)).toEqual(["/bindery/spaces/a/editing/e/steps", "/bindery/spaces/b/editing/e/steps"]);
  last().answer({ id: 3, status: 200, body: { version: 8 } }, { id: 2, status: 200, body: { version: 7 } });
  expect(await Promise.all(answers)).toEqual([{ version: 7 }, { version: 8 }]);
  expect(sockets()).toBe(1);
});

it("sends by fetch what a socket does not carry, and more than 16 requests at once", async () => {
  const socket = await opened();
  await connection.request("/bindery/spaces/s/people", {});
  await connection.request(PATH, post({ text: "x".repeat(250_000) }));
  expect(socket.frames).toHaveLength(1);
  const answers = Array.from({ length: 17 }, () => connection.request(PATH, post({})));
  await turn();
  expect(socket.frames).toHaveLength(17);
  expect(fetched).toHaveLength(3);
  expect(await by(answers[16] as Promise<Response>)).toBe("fetch");
  socket.answer(...socket.frames.map(({ id }) => ({ id, status: 204 })));
  await Promise.all(answers);
});

it("sends one request until the server accepts one", async () => {
  const socket = await opened(false);
  const refused = errorOf(connection.request(PATH, {}));
  await turn();
  expect(await by(connection.request(PATH, {}))).toBe("fetch");
  socket.answer({ id: 1, status: 404 });
  await refused;
  const followed = connection.request(FOLLOW, { signal: new AbortController().signal });
  await turn();
  expect(await by(connection.request(PATH, {}))).toBe("fetch");
  socket.answer({ id: 2, status: 200, stream: true });
  await followed;
  const answer = connection.request(PATH, {});
  await turn();
  socket.answer({ id: 3, status: 200, body: { by: "socket" } });
  expect(await by(answer)).toBe("socket");
});

it("tries another socket after one was closed that nobody used", async () => {
  (await opened(false)).cut();
  await vi.advanceTimersByTimeAsync(1_000);
  await connection.request(PATH, {});
  expect(sockets()).toBe(2);
});

it("sends by fetch for five minutes if the socket does not open within three seconds", async () => {
  expect(await by(connection.request(PATH, post({})))).toBe("fetch");
  const follow = connection.request(FOLLOW, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(2_900);
  expect([sockets(), fetched]).toEqual([1, [PATH]]);
  await vi.advanceTimersByTimeAsync(100);
  expect(await by(follow)).toBe("fetch");
  expect(last().readyState).toBe(3);
  await vi.advanceTimersByTimeAsync(298_000);
  expect(await by(connection.request(FOLLOW, { signal: new AbortController().signal }))).toBe("fetch");
  expect(sockets()).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  await connection.request(PATH, {});
  expect(sockets()).toBe(2);
});

it.each([
  ["is closed", (socket: FakeSocket) => socket.cut()],
  ["sends something else", (socket: FakeSocket) => socket.onmessage({ data: "<html>" })],
  ["sends nothing", () => vi.advanceTimersByTimeAsync(15_000)],
])("repeats a request by fetch if the socket %s before the first answer", async (_name, fail) => {
  const socket = await opened(false);
  const answer = connection.request(PATH, post({}));
  await turn();
  await fail(socket);
  expect(await by(answer)).toBe("fetch");
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await by(connection.request(PATH, {}))).toBe("fetch");
  expect(sockets()).toBe(1);
});

it.each([
  ["closes", (socket: FakeSocket) => socket.cut()],
  ["sends something else", (socket: FakeSocket) => socket.answer({ id: 2, status: 7 })],
  ["sends nothing", () => vi.advanceTimersByTimeAsync(15_000)],
  ["is cut off, as the browser knows", () => dispatchEvent(new Event("offline"))],
])("fails requests and ends streams if the socket %s in the middle", async (_name, fail) => {
  const socket = await opened();
  const waiting = errorOf(connection.request(PATH, post({})));
  const streaming = connection.request(FOLLOW, { signal: new AbortController().signal });
  await turn();
  socket.answer({ id: 3, status: 200, stream: true }, { id: 3, data: "data: []" });
  await fail(socket);
  expect(await waiting).toEqual(LOST);
  expect(await (await streaming).text()).toBe("data: []");
  expect(fetched).toEqual([]);
});

it("opens another socket after the end of one, once a second at most", async () => {
  (await opened()).cut();
  expect(await by(connection.request(PATH, post({})))).toBe("fetch");
  expect(sockets()).toBe(1);
  // A stream waits for the next attempt, so that it does not go on by fetch.
  const follow = connection.request(FOLLOW, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sockets()).toBe(2);
  last().open();
  await turn();
  last().answer({ id: 1, status: 200, stream: true }, { id: 1, end: true });
  await (await follow).text();
  expect(fetched).toEqual([PATH]);
});

it("goes on trying while the server is gone, and stops where only fetch works", async () => {
  (await opened()).cut();
  const attempt = async () => {
    await vi.advanceTimersByTimeAsync(1_000);
    const follow = connection.request(FOLLOW, { signal: new AbortController().signal }).catch(() => {});
    await turn();
    last().cut();
    await follow;
  };
  byFetch = () => Promise.reject(new ApiError(0, "unreachable", "gone"));
  for (let round = 0; round < 10; round += 1) await attempt();
  expect(sockets()).toBe(11);
  byFetch = () => Promise.resolve(Response.json({ by: "fetch" }));
  const follow = connection.request(FOLLOW, { signal: new AbortController().signal });
  for (let round = 0; round < 3; round += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    last().cut();
  }
  expect(await by(follow)).toBe("fetch");
  expect(await by(connection.request(FOLLOW, { signal: new AbortController().signal }))).toBe("fetch");
  expect(sockets()).toBe(14);
});

it("follows by a socket if the server begins to listen after the attempt to open one", async () => {
  (await opened()).cut();
  const ended = vi.fn();
  byFetch = () => Promise.resolve(new Response(new ReadableStream({ cancel: ended })));
  const follow = connection.request(FOLLOW, { signal: new AbortController().signal });
  await vi.advanceTimersByTimeAsync(1_000);
  last().cut();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([fetched, ended.mock.calls.length, sockets()]).toEqual([[FOLLOW], 1, 3]);
  // Where a socket has worked, it may take longer to open.
  await vi.advanceTimersByTimeAsync(9_000);
  last().open();
  await turn();
  last().answer({ id: 1, status: 200, stream: true }, { id: 1, data: "by the socket" }, { id: 1, end: true });
  expect(await (await follow).text()).toBe("by the socket");
});

it("closes the socket after a minute without a request", async () => {
  const socket = await opened();
  await vi.advanceTimersByTimeAsync(59_000);
  const streaming = connection.request(FOLLOW, { signal: new AbortController().signal });
  await turn();
  socket.answer({ id: 2, status: 200, stream: true });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(socket.readyState).toBe(1);
  socket.answer({ id: 2, end: true });
  await (await streaming).text();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(socket.readyState).toBe(3);
  await connection.request(PATH, {});
  expect(sockets()).toBe(2);
});

it("closes the socket of a hidden page once all requests are answered, and opens none", async () => {
  const socket = await opened();
  const answer = connection.request(PATH, post({}));
  await turn();
  visibility = "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
  expect(socket.readyState).toBe(1);
  socket.answer({ id: 2, status: 200, body: { by: "socket" } });
  expect(await by(answer)).toBe("socket");
  expect(socket.readyState).toBe(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await by(connection.request(PATH, {}))).toBe("fetch");
  expect(sockets()).toBe(1);
  visibility = "visible";
  await connection.request(PATH, {});
  expect(sockets()).toBe(2);
});
