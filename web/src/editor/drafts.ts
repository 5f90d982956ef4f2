import type { Place } from "../api/place";
import type { Work } from "./together";
import { openWindows, THIS_WINDOW } from "./windows";

/** Other fields of a page that the editor changes. */
export interface Fields {
  title?: string;
  description?: string;
  /** Empty if the address is to follow the title. */
  slug?: "";
}

/** The Markdown of a page that had not been saved, and as it was before the changes. */
export interface MarkdownDraft {
  base: string;
  markdown: string;
}

/** What had not been saved when a page was left. */
export interface Draft {
  fields: Fields;
  /** The Markdown, if the page was edited in this form. */
  text?: MarkdownDraft;
  /** The changes of a text that was edited as blocks. */
  work?: Work;
  /** The time of the draft. */
  at: number;
}

const DATABASE = "bindery";
const STORE = "drafts";
/** Number of characters of a draft that the synchronous store takes. */
const MAX_SYNCHRONOUS = 1_000_000;

/**
 * Returns the name of the draft of a page, or of the person's suggestions for it. What was written live
 * has a name of its own: a draft of the main content becomes a change request on the next visit, but one
 * that was written live is neither published nor proposed before the person writes live again.
 */
export function draftKey({ space, changeRequest, live }: Place, page: string, isSuggesting = false): string {
  return `bindery.draft.${space}.${live ? "live" : (changeRequest ?? "main")}.${page}${isSuggesting ? ".suggestions" : ""}`;
}

/** A draft with the name under which the browser keeps it. */
export interface FoundDraft {
  name: string;
  draft: Draft;
}

function opened(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    if (typeof indexedDB === "undefined") return resolve(undefined);
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(undefined);
  });
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  const database = await opened();
  if (!database) return undefined;
  try {
    return await new Promise((resolve) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(undefined);
    });
  } finally {
    database.close();
  }
}

/** Returns the name of the draft of this window. Two windows with the same page keep a draft each. */
const nameOf = (key: string) => `${key}#${THIS_WINDOW}`;

function store(name: string, text: string): void {
  if (text.length <= MAX_SYNCHRONOUS) {
    try {
      localStorage.setItem(name, text);
      return;
    } catch {
      // The synchronous store is full; the other one takes it.
    }
  }
  localStorage.removeItem(name);
  void inStore("readwrite", (drafts) => drafts.put(text, name));
}

/** Keeps the draft of this window in the browser: at once if it is small, else as soon as the browser can. */
export function keepDraft(key: string, draft: Draft): void {
  store(nameOf(key), JSON.stringify(draft));
}

/** Returns the names of all drafts of a page. */
async function namesOf(key: string): Promise<string[]> {
  const range = () => IDBKeyRange.bound(key, `${key}#\uffff`);
  const large = (await inStore("readonly", (drafts) => drafts.getAllKeys(range()))) ?? [];
  const names = [...Object.keys(localStorage), ...large.map(String)].filter((name) => name === key || name.startsWith(`${key}#`));
  return [...new Set(names)];
}

async function read(name: string): Promise<FoundDraft[]> {
  const texts = [localStorage.getItem(name), await inStore<unknown>("readonly", (drafts) => drafts.get(name))];
  const found = texts.flatMap((text) => {
    try {
      const draft = typeof text === "string" ? (JSON.parse(text) as Partial<Draft>) : undefined;
      return draft?.fields && draft.at !== undefined ? [{ name, draft: draft as Draft }] : [];
    } catch {
      return [];
    }
  });
  return found.sort(newestFirst).slice(0, 1);
}

const newestFirst = (one: FoundDraft, other: FoundDraft) => other.draft.at - one.draft.at;

/** Returns the drafts of a page that belong to this window, or to none that is open, with the newest first. They stay in the browser until they are dropped. */
export async function findDrafts(key: string): Promise<FoundDraft[]> {
  const names = await namesOf(key);
  const open = await openWindows(names.flatMap((name) => name.split("#")[1] ?? []));
  const left = names.filter((name) => !open.has(name.split("#")[1] ?? ""));
  const found = await Promise.all(left.map(read));
  return found.flat().sort(newestFirst);
}

/**
 * Makes the newest draft that is found the draft of this window, with the fields of all of them. The
 * other texts stay for `sendDrafts`.
 */
export async function adoptDraft(key: string): Promise<Draft | undefined> {
  const found = await findDrafts(key);
  const [newest, ...others] = found;
  if (!newest) return undefined;
  const fields = Object.assign({}, ...found.map(({ draft }) => draft.fields).reverse()) as Fields;
  const draft = { ...newest.draft, fields };
  keepDraft(key, draft);
  if (newest.name !== nameOf(key)) forgetDraft(newest.name);
  for (const { name, draft: { text, work, at } } of others) {
    if (text || work) store(name, JSON.stringify({ fields: {}, at, text, work }));
    else forgetDraft(name);
  }
  return draft;
}

/** Sends what was written in windows that were closed, and forgets it. */
export async function sendDrafts(key: string, send: (work: Work) => Promise<unknown>): Promise<void> {
  for (const { name, draft: { work } } of await findDrafts(key)) {
    if (!work || name === nameOf(key)) continue;
    await send(work);
    forgetDraft(name);
  }
}

/** Forgets the draft of this window. */
export function dropDraft(key: string): void {
  forgetDraft(nameOf(key));
}

/** Forgets a draft that was found. */
export function forgetDraft(name: string): void {
  localStorage.removeItem(name);
  void inStore("readwrite", (drafts) => drafts.delete(name));
}
