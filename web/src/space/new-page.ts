import { addressOf, changeContent, type ContentChange, type Place, startChangeRequest } from "../api/place";

/** The state of the address of a page that was just made, whose title is to be written. */
export const NEW_PAGE = { isNewPage: true };

/** Returns `true` if the page that is shown was just made. */
export function isNewPage(): boolean {
  return (history.state as Partial<typeof NEW_PAGE> | null)?.isNewPage === true;
}

/** A page that was just made: its address, and the number of the change request if one was started for it. */
export interface NewPage {
  address: string;
  started: string | undefined;
}

/** Adds an empty page at the end of a content; a change request is started for the main content. */
export async function createPage(place: Place, title: string): Promise<NewPage> {
  const started = place.changeRequest === undefined ? String((await startChangeRequest(place.space)).number) : undefined;
  const target = started === undefined ? place : { ...place, changeRequest: started };
  const change = { operation: "insert_page", title, document: { markdown: "" } };
  const answer = await changeContent(target, [change as ContentChange]);
  const made = "changes" in answer ? answer.changes.find((one) => one.object === "created_page") : undefined;
  return { address: addressOf(target, made?.object === "created_page" ? made.page.id : ""), started };
}
