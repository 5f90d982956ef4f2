import { decode, encode } from "./codec";
import type { JsonDocument } from "./document";
import { schema } from "./schema";

/** Returns a value without the keys of nodes. */
export function withoutKeys<T>(json: T): T {
  return JSON.parse(JSON.stringify(json, (name, value: unknown) => (name === "key" ? undefined : value))) as T;
}

/**
 * Returns a document after it was opened and closed without an edit, and after each of its blocks
 * was written anew. Both are equal to the document, the second one except for keys.
 */
export function roundTrip(document: JsonDocument): { untouched: JsonDocument; rewritten: JsonDocument } {
  const doc = decode(document);
  const copy = schema.nodeFromJSON(doc.toJSON());
  return { untouched: encode(doc, document.data), rewritten: encode(copy, document.data) };
}
