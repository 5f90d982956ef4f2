import type { Place } from "../api/place";
import type { Work } from "./together";

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

/** Keeps a draft in the browser: at once if it is small, else as soon as the browser can. */
export function keepDraft(key: string, draft: Draft): void {
  const text = JSON.stringify(draft);
  if (text.length <= MAX_SYNCHRONOUS) {
    try {
      localStorage.setItem(key, text);
      return;
    } catch {
      // The synchronous store is full; the other one takes it.
    }
  }
  localStorage.removeItem(key);
  void inStore("readwrite", (store) => store.put(text, key));
}

/** Returns the draft of a page. It stays in the browser until it is dropped. */
export async function findDraft(key: string): Promise<Draft | undefined> {
  const texts = [localStorage.getItem(key), await inStore<unknown>("readonly", (store) => store.get(key))];
  const drafts = texts.flatMap((text) => {
    try {
      const found = typeof text === "string" ? (JSON.parse(text) as Partial<Draft>) : undefined;
      return found?.fields && found.at !== undefined ? [found as Draft] : [];
    } catch {
      return [];
    }
  });
  return drafts.sort((a, b) => b.at - a.at)[0];
}

/** Forgets the draft of a page. */
export function dropDraft(key: string): void {
  localStorage.removeItem(key);
  void inStore("readwrite", (store) => store.delete(key));
}
