import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./contract";
import { ApiError, errorOf } from "./errors";

/** The schemas of the contract by their names. */
export type Schemas = components["schemas"];

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

let csrfToken: string | undefined;

/** Sets the token that changes carry. The server gives it with the session. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

/** Leads to the sign-in page, and back to the present address afterwards. */
export function signIn(): void {
  const next = location.pathname + location.search;
  location.assign(`/app/sign-in?next=${encodeURIComponent(next)}`);
}

const session: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== undefined && !SAFE_METHODS.has(request.method)) {
      request.headers.set("X-CSRF-Token", csrfToken);
    }
    return request;
  },
};

/** Calls the operations of the API by their paths, with types from the contract. */
export const client = createClient<paths>({
  baseUrl: "/v1",
  credentials: "same-origin",
});
client.use(session);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Waits for an answer and returns its data.
 *
 * @throws ApiError if the server refuses the request or cannot be reached. A session that ended
 * leads to the sign-in page.
 */
export async function data<T>(answer: Promise<Answer<T>>): Promise<NonNullable<T>> {
  let found: Answer<T>;
  try {
    found = await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached");
  }
  if (!found.response.ok) {
    if (found.response.status === 401) signIn();
    throw errorOf(found.response.status, found.error);
  }
  return found.data as NonNullable<T>;
}

/**
 * Sends a request whose answer is read in another way than as JSON, such as one that goes on.
 *
 * @throws ApiError as `data` does.
 */
export async function request(path: string, { headers, ...init }: RequestInit): Promise<Response> {
  const all = new Headers(headers);
  if (csrfToken !== undefined && !SAFE_METHODS.has(init.method ?? "GET")) all.set("X-CSRF-Token", csrfToken);
  return answered(fetch(`/v1${path}`, { credentials: "same-origin", ...init, headers: all }), signIn);
}

/** Waits for an answer and returns it unless it is an error. */
export async function answered(answer: Promise<Response>, onSignedOut: () => void): Promise<Response> {
  let found: Response;
  try {
    found = await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "The server cannot be reached");
  }
  if (found.ok) return found;
  if (found.status === 401) onSignedOut();
  throw errorOf(found.status, await found.json().catch(() => undefined));
}

interface List<T> {
  items: T[];
  next?: { page: string } | undefined;
}

/** Reads all pages of a list, up to `limit` items. */
export async function all<T>(
  read: (page: string | undefined) => Promise<List<T>>,
  limit = 5000,
): Promise<T[]> {
  const items: T[] = [];
  let page: string | undefined;
  do {
    const found = await read(page);
    items.push(...found.items);
    page = found.next?.page;
  } while (page !== undefined && items.length < limit);
  return items;
}
