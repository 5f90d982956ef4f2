/** The kinds of parts of a specification that a page can show. */
export type PartKind = "operation" | "webhook" | "model";

interface Request {
  /** The HTTP method in small letters. */
  method: string;
  operationId?: string;
  title: string;
  tags: string[];
  deprecated: boolean;
}

export interface Operation extends Request {
  kind: "operation";
  path: string;
}

export interface Webhook extends Request {
  kind: "webhook";
  name: string;
}

export interface Model {
  kind: "model";
  name: string;
}

/** An operation, a webhook or a model of a specification. */
export type Part = Operation | Webhook | Model;

/** A page of the list of parts. */
export interface PartList {
  items: Part[];
  /** Number of the parts on all pages. */
  count: number;
  next?: { page: string };
}

/** Returns the path of an operation, or the name of a webhook or a model. */
export function nameOf(part: Part): string {
  return part.kind === "operation" ? part.path : part.name;
}

/** Returns a text that no other part of the same kind has: `get /ships`, `post sunk` or `Ship`. */
export function idOf(part: Part): string {
  return part.kind === "model" ? part.name : idOfRequest(part.method, nameOf(part));
}

/** Returns the id of an operation or a webhook. */
export function idOfRequest(method: string, name: string): string {
  return `${method.toLowerCase()} ${name}`;
}

/** Maximum number of parts that one request lists. */
export const MAX_LISTED = 1_000;

/** Reads a page of the list of parts of one kind, or of those that a text finds. */
export type ReadPage = (asked: { query?: string; page?: string }) => Promise<PartList>;

/** Returns a query that finds a name; `undefined` for the whole list if the name has no words, as `/`. */
function queryFor(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.test(name) ? name : undefined;
}

/** Returns all parts that a text finds, from all pages. */
async function readAll(read: ReadPage, query: string | undefined): Promise<Part[]> {
  const items: Part[] = [];
  let page: string | undefined;
  do {
    const found = await read({ ...(query !== undefined && { query }), ...(page !== undefined && { page }) });
    items.push(...found.items);
    page = found.next?.page;
  } while (page !== undefined);
  return items;
}

/**
 * Returns at least the parts with some names. It reads the list page by page, or looks for each name
 * as soon as that takes fewer requests than the rest of the list.
 */
export async function readNamed(read: ReadPage, names: Iterable<string>): Promise<Part[]> {
  const items: Part[] = [];
  const left = new Set(names);
  let page: string | undefined;
  let pagesLeft = 1;
  while (left.size > pagesLeft) {
    const found = await read(page === undefined ? {} : { page });
    items.push(...found.items);
    // A path has several operations, which may be on two pages.
    const last = found.items.at(-1);
    const isSplit = (name: string) => found.next !== undefined && last !== undefined && nameOf(last) === name;
    for (const part of found.items) if (!isSplit(nameOf(part))) left.delete(nameOf(part));
    page = found.next?.page;
    if (page === undefined) return items;
    pagesLeft = Math.max(1, Math.ceil((found.count - items.length) / MAX_LISTED));
  }
  const others = await Promise.all([...left].map((name) => readAll(read, queryFor(name))));
  return [...items, ...others.flat()];
}
