import { answered, request, signIn } from "../api/client";
import { ApiError } from "../api/errors";
import type { Request } from "./transport";

/** Milliseconds within which a socket opens. */
const OPENING = 3_000;
/** Milliseconds within which a socket opens where one has worked. */
const OPENING_AGAIN = 10_000;
/** Milliseconds for which no socket is tried after one did not work. */
const REFUSED = 5 * 60_000;
/** Milliseconds between two attempts to open a socket. */
const BETWEEN = 1_000;
/** Attempts in a row that may fail where a socket has worked, as they do while the server starts. */
const MAX_FAILED = 3;
/** Milliseconds without a request after which the socket is closed. */
const IDLE = 60_000;
/** Milliseconds without any frame after which a request that waits for its answer is lost. */
const SILENCE = 15_000;
/** Maximum number of requests that the server carries at once. */
const MAX_OPEN = 16;
/** Maximum number of requests before the server has accepted one. */
const MAX_OPEN_FIRST = 1;
/** Maximum length of a body. A longer one would hold up the requests after it. */
const MAX_BODY = 250_000;

/** A message of the server about the request with an id. */
interface Frame {
  id: number;
  status?: number;
  body?: unknown;
  stream?: boolean;
  data?: string;
  end?: boolean;
}

/** A request that is not finished. */
interface Exchange {
  resolve: (answer: Response) => void;
  reject: (reason: unknown) => void;
  /** The body of the answer, if it goes on. */
  stream?: ReadableStreamDefaultController<Uint8Array>;
}

const encoder = new TextEncoder();

/** Sends the requests of all editors through one socket, and by fetch where that is not possible. */
export class Connection {
  private socket: Socket | undefined;
  private opening: Promise<Socket | undefined> | undefined;
  /** The time from which a socket may be tried. */
  private next = 0;
  private hasWorked = false;
  /** The number of attempts in a row that failed although the server could be reached. */
  private failed = 0;

  constructor(private readonly byFetch: Request) {}

  readonly request: Request = async (path, init) => {
    const { failed } = this;
    const socket = isCarried(path, init) ? await this.ready(init) : undefined;
    if (!socket || socket.isFull) {
      const answer = await this.fetch(path, init);
      // If the server began to listen after the attempt to open a socket, a request that goes on tries again.
      if (!init.signal || !this.hasWorked || this.failed <= failed) return answer;
      await answer.body?.cancel();
      return this.request(path, init);
    }
    try {
      return await answered(socket.send(path, init), signIn);
    } catch (error) {
      // A proxy that does not pass frames lets a socket open and closes it.
      if (isUnreachable(error) && !socket.hasAnswered) return this.fetch(path, init);
      throw error;
    }
  };

  /** Opens the socket unless it is open or does not work now. Returns `undefined` if there is none. */
  async open(): Promise<Socket | undefined> {
    const isPossible = Date.now() >= this.next && navigator.onLine && document.visibilityState !== "hidden";
    if (this.opening === undefined && isPossible) this.opening = this.attempt();
    return this.opening;
  }

  /** Returns the socket for a request. Only a request that goes on, which would go on by fetch, waits for it to open. */
  private async ready({ signal }: RequestInit): Promise<Socket | undefined> {
    if (signal) {
      const left = this.next - Date.now();
      if (this.opening === undefined && left > 0 && left <= BETWEEN) await new Promise((resolve) => setTimeout(resolve, left));
      await this.open();
    } else {
      void this.open();
    }
    return this.socket;
  }

  private attempt(): Promise<Socket | undefined> {
    this.next = Date.now() + BETWEEN;
    return new Promise((resolve) => {
      const socket: Socket = new Socket(
        () => resolve((this.socket = socket)),
        (isRefused) => {
          this.ended(socket.hasAnswered, isRefused);
          resolve(undefined);
        },
        this.hasWorked ? OPENING_AGAIN : OPENING,
      );
    });
  }

  private ended(hasAnswered: boolean, isRefused: boolean): void {
    this.socket = undefined;
    this.opening = undefined;
    if (hasAnswered) {
      this.hasWorked = true;
      this.failed = 0;
    }
    if (!isRefused) return;
    this.failed += 1;
    if (this.hasWorked && this.failed < MAX_FAILED) return;
    this.hasWorked = false;
    this.failed = 0;
    this.next = Date.now() + REFUSED;
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await this.byFetch(path, init);
    } catch (error) {
      if (isUnreachable(error)) this.failed = 0;
      throw error;
    }
  }
}

/** The connection of this tab. */
const connection = new Connection(request);

/** Opens the socket of this tab. Returns what sends requests through it. */
export function opened(): Request {
  void connection.open();
  return connection.request;
}

/** Returns whether the server carries a request through a socket. */
function isCarried(path: string, { body }: RequestInit): boolean {
  const isShort = body === undefined || (typeof body === "string" && body.length <= MAX_BODY);
  return path.includes("/editing") && isShort;
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

/** A socket from the attempt to open it to its end. */
class Socket {
  /** True if an answer came, so that nothing on the way keeps frames back. */
  hasAnswered = false;
  private isAccepted = false;
  private readonly socket = new WebSocket(`${location.origin.replace("http", "ws")}/v1/bindery/connection`);
  private readonly exchanges = new Map<number, Exchange>();
  private last = 0;
  private hasOpened = false;
  private timer: ReturnType<typeof setTimeout>;
  private isEnded = false;

  constructor(
    private readonly onOpen: () => void,
    private readonly onEnd: (isRefused: boolean) => void,
    opening: number,
  ) {
    this.socket.onopen = () => {
      this.hasOpened = true;
      this.onOpen();
      this.wait();
    };
    this.socket.onmessage = ({ data }) => this.receive(String(data));
    this.socket.onclose = () => this.end(false);
    this.timer = setTimeout(() => this.end(false), opening);
    // The browser keeps a socket for minutes after the network is gone.
    addEventListener("offline", this.leave);
    document.addEventListener("visibilitychange", this.wait);
  }

  get isFull(): boolean {
    return this.exchanges.size >= (this.isAccepted ? MAX_OPEN : MAX_OPEN_FIRST);
  }

  /** Sends a request. Rejects as `fetch` does, but for the text of the reason. */
  send(path: string, { method = "GET", body, signal }: RequestInit): Promise<Response> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.isEnded) throw new TypeError("The socket is closed");
      const id = (this.last += 1);
      const isFirst = !this.isAwaiting;
      this.exchanges.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => this.cancel(id, signal.reason));
      const request = JSON.stringify({ id, method, path });
      // The body is JSON already.
      this.socket.send(typeof body === "string" ? `${request.slice(0, -1)},"body":${body}}` : request);
      if (isFirst) this.wait();
    });
  }

  private get isAwaiting(): boolean {
    return [...this.exchanges.values()].some(({ stream }) => stream === undefined);
  }

  /** Ends the socket some time after the last frame: if an answer is due, if there is nothing to do, or if nobody looks. */
  private readonly wait = (): void => {
    if (this.isEnded || !this.hasOpened) return;
    clearTimeout(this.timer);
    if (this.isAwaiting) this.timer = setTimeout(() => this.end(false), SILENCE);
    else if (document.visibilityState === "hidden") this.leave();
    else if (this.exchanges.size === 0) this.timer = setTimeout(this.leave, IDLE);
  };

  private receive(text: string): void {
    try {
      this.take(JSON.parse(text) as Frame);
    } catch {
      return this.end(false);
    }
    this.hasAnswered = true;
    this.wait();
  }

  private take({ id, status, body, stream, data, end }: Frame): void {
    const exchange = this.exchanges.get(id);
    if (!exchange) return;
    if (status !== undefined) {
      const text = body === undefined ? null : JSON.stringify(body);
      exchange.resolve(new Response(stream ? this.streamOf(id, exchange) : text, { status }));
      if (!stream) this.exchanges.delete(id);
      this.isAccepted ||= status < 400;
    }
    if (data !== undefined) exchange.stream?.enqueue(encoder.encode(data));
    if (end) {
      this.exchanges.delete(id);
      exchange.stream?.close();
    }
  }

  private streamOf(id: number, exchange: Exchange): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => {
        exchange.stream = controller;
      },
      cancel: (reason) => this.cancel(id, reason),
    });
  }

  private cancel(id: number, reason: unknown): void {
    const exchange = this.exchanges.get(id);
    if (!exchange) return;
    this.exchanges.delete(id);
    exchange.reject(reason);
    exchange.stream?.error(reason);
    this.socket.send(JSON.stringify({ id, cancel: true }));
    this.wait();
  }

  private readonly leave = (): void => this.end(true);

  private end(isWanted: boolean): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.timer);
    removeEventListener("offline", this.leave);
    document.removeEventListener("visibilitychange", this.wait);
    this.socket.close();
    // The server closes a socket that is not used soon.
    const hasFailed = !this.hasOpened || (this.exchanges.size > 0 && !this.hasAnswered);
    this.onEnd(hasFailed && !isWanted);
    for (const { reject, stream } of this.exchanges.values()) {
      stream?.close();
      reject(new TypeError("The socket was closed"));
    }
    this.exchanges.clear();
  }
}
