import { client, data } from "../api/client";
import { pageQuery, type Place } from "../api/place";
import { queries } from "../api/queries";
import type { JsonDocument } from "./document";
import type { Body } from "./drafts";
import { merge } from "./merge";

/** The text that a person edits, as far as saving it is concerned. */
export interface Surface {
  /** Returns the text as it is now. */
  read: () => Body;
  /** Returns the text as it was last saved or read. */
  readonly base: Body;
  /** Remembers what was saved in a revision. */
  saved: (body: Body, revision: string | undefined) => void;
  /** Reads the present text and takes over what others changed. Returns `true` if it has to be sent then. */
  compare: (place: Place, page: string) => Promise<boolean>;
}

export interface SurfaceOptions<T> {
  read: () => T;
  /** Shows a text that contains the changes of others. */
  replace: (text: T, hasConflicts: boolean) => void;
}

/** Returns the surface of a document as blocks. Changes of others are merged block by block. */
export function documentSurface(base: JsonDocument, baseId: string | undefined, { read, replace }: SurfaceOptions<JsonDocument>): Surface {
  let known = base;
  let knownId = baseId;
  let lastSaved: string | undefined;

  /** Returns the text of the last save as the server keeps it. */
  const kept = async (space: string, page: string): Promise<JsonDocument> => {
    if (lastSaved === undefined) return known;
    const params = { path: { spaceId: space, revisionId: lastSaved, pageId: page }, query: { format: "document" as const } };
    const found = await data(client.GET("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", { params }));
    return (found as { document?: JsonDocument }).document ?? known;
  };

  return {
    read: () => ({ document: read() }),
    get base() {
      return { document: known };
    },
    saved(body, revision) {
      if ("document" in body) known = body.document;
      lastSaved = revision;
    },
    async compare(place, page) {
      const found = (await queries.fetchQuery({ ...pageQuery(place, page), staleTime: 0 })) as { document?: JsonDocument; documentId?: string };
      if (!found.document || found.documentId === knownId) return false;
      knownId = found.documentId;
      const before = await kept(place.space, page);
      if (JSON.stringify(before.nodes) === JSON.stringify(found.document.nodes)) return false;
      const merged = merge({ sent: known, kept: before }, read(), found.document);
      replace(merged.document, merged.hasConflicts);
      known = found.document;
      lastSaved = undefined;
      return true;
    },
  };
}
