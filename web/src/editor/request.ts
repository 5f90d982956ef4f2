import { type Place, sendChanges } from "../api/place";
import type { Fields } from "./drafts";

/**
 * Saves a page: its fields, and its text as Markdown if there is one. The request is refused with
 * status 412 unless `revision` is the present one. Returns the revision after it.
 */
export async function savePage(place: Place, page: string, fields: Fields, markdown: string | undefined, revision: string | undefined): Promise<string | undefined> {
  const change = { operation: "update_page" as const, page, ...fields, ...(markdown !== undefined && { document: { markdown } }) };
  const answer = (await sendChanges(place, [change], revision)) as { changeRequest?: { revision: string }; revision?: string };
  return answer.changeRequest?.revision ?? answer.revision;
}
