import { client, data } from "../api/client";
import { pathOf, type Place } from "../api/place";
import type { Fields } from "./drafts";

/**
 * Saves a page: its fields, and its text as Markdown if there is one. The request is refused with
 * status 412 unless `revision` is the present one. Returns the revision after it.
 */
export async function savePage(place: Place, page: string, fields: Fields, markdown: string | undefined, revision: string | undefined): Promise<string | undefined> {
  const answer = await data(
    client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/content", {
      params: { path: pathOf(place), query: { compat: false } },
      body: { changes: [{ operation: "update_page", page, ...fields, ...(markdown !== undefined && { document: { markdown } }) }] },
      ...(revision !== undefined && { headers: { "If-Match": `"${revision}"` } }),
    }),
  );
  return (answer as { changeRequest?: { revision?: string } }).changeRequest?.revision;
}
