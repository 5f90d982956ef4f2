import { client, data } from "../api/client";
import { pathOf, type Place } from "../api/place";
import type { JsonNode } from "./document";
import type { Body, Fields } from "./drafts";

/** Milliseconds for which the browser takes no key while a long text is written as JSON. */
const SLICE = 4;

/** The JSON of blocks. A block that is written to becomes another one. */
const texts = new WeakMap<JsonNode, string>();

function textOf(node: JsonNode): string {
  const known = texts.get(node);
  if (known !== undefined) return known;
  const text = JSON.stringify(node);
  texts.set(node, text);
  return text;
}

/** Lets the browser take keys and show a picture. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Returns the JSON of nodes with commas between them, in pieces. */
async function listOf(nodes: readonly JsonNode[]): Promise<Blob[]> {
  const pieces: Blob[] = [];
  for (let at = 0; at < nodes.length; ) {
    const end = performance.now() + SLICE;
    let piece = "";
    do {
      for (const node of nodes.slice(at, at + 16)) piece += (piece === "" && at === 0 ? "" : ",") + textOf(node);
      at += 16;
    } while (at < nodes.length && performance.now() < end);
    pieces.push(new Blob([piece]));
    if (at < nodes.length) await pause();
  }
  return pieces;
}

/** Returns the body of the request that saves a page. It is made bit by bit, and of what is known of the last one. */
export async function saveRequest(page: string, body: Body | undefined, fields: Fields): Promise<Blob> {
  const change = JSON.stringify({ operation: "update_page", page, ...fields, ...(body && "markdown" in body && { document: body }) });
  if (!body || "markdown" in body) return new Blob([`{"changes":[${change}]}`]);
  const { nodes, ...rest } = body.document;
  const begin = `{"changes":[${change.slice(0, -1)},"document":{"document":${JSON.stringify(rest).slice(0, -1)},"nodes":[`;
  return new Blob([begin, ...(await listOf(nodes)), "]}}}]}"]);
}

/**
 * Sends the body of a request that saves a page. It is refused with status 412 unless `revision` is
 * the present one. Returns the revision after it.
 */
export async function sendRequest(place: Place, body: Blob, revision: string | undefined): Promise<string | undefined> {
  const answer = await data(
    client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/content", {
      params: { path: pathOf(place), query: { compat: false } },
      body: { changes: [] },
      bodySerializer: () => body,
      ...(revision !== undefined && { headers: { "If-Match": `"${revision}"` } }),
    }),
  );
  return (answer as { changeRequest?: { revision?: string } }).changeRequest?.revision;
}
