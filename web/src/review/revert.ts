import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, changeContent, type Place, startChangeRequest } from "../api/place";
import { queries, spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { notify } from "../ui";
import type { ChangePlace } from "./actions";
import { differencesQuery, MAX_SUBJECT, type Revisions } from "./queries";

/** Maximum number of changes in one request. */
const AT_ONCE = 50;

/** Pages that become what they were in a revision. */
interface Reverted {
  pages: readonly string[];
  revision: string;
  /** The message if the pages are the same already. */
  whenSame: string;
}

/** Starts a change request in which pages are what they were in a revision. It is archived if that fails. */
async function startRevert(place: Place, subject: string, { pages, revision, whenSame }: Reverted): Promise<Place> {
  const made = await startChangeRequest(place.space, subject.slice(0, MAX_SUBJECT));
  const next = { ...place, changeRequest: String(made.number) };
  try {
    let last = made.revision;
    for (let from = 0; from < pages.length; from += AT_ONCE) {
      const changes = pages.slice(from, from + AT_ONCE).map((page) => ({ operation: "revert_page" as const, page, revision }));
      const answer = await changeContent(next, changes);
      if ("changeRequest" in answer) last = answer.changeRequest.revision;
    }
    if (last === made.revision) throw new Error(whenSame);
  } catch (error) {
    const params = { path: { spaceId: place.space, changeRequestId: next.changeRequest } };
    await data(client.PATCH("/spaces/{spaceId}/change-requests/{changeRequestId}", { params, body: { status: "archived" } }));
    throw error;
  }
  return next;
}

/** Returns true if a page is in the main content what it was in a revision. */
async function isSameNow({ space: spaceId }: Place, pageId: string, from: string): Promise<boolean> {
  const { revision: to } = await queries.fetchQuery({ ...spaceQuery(spaceId), staleTime: 0 });
  const params = { path: { spaceId, pageId }, query: { from, to, format: "json" as const } };
  const { change } = (await data(client.GET("/bindery/spaces/{spaceId}/compare/pages/{pageId}", { params }))) as Schemas["ContentDifference"];
  return change === "same";
}

/** Reads the ids of all pages that a change request changed. */
async function changedPages(place: ChangePlace, revisions: Revisions): Promise<string[]> {
  const found = await queries.fetchInfiniteQuery({ ...differencesQuery(place, revisions), pages: Infinity });
  return found.pages.flatMap(({ items }) => items.flatMap(({ kind, id }) => (kind === "page" ? [id] : [])));
}

function useStarted() {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  return {
    onSuccess: (next: Place) => {
      notify(review.revertStarted, { tone: "success" });
      navigate(addressOf(next, "~/review"));
    },
    onError: (error: Error) => notify(error.message, { tone: "danger" }),
  };
}

/** Starts a change request that makes the pages of a merged one what they were before, and shows it. */
export function useRevert(place: ChangePlace, row: Schemas["ChangeRequest"]) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: async () => {
      const base = row.revisionMergedAncestor ?? row.revisionInitial;
      const pages = await changedPages(place, { base, head: row.revision });
      if (pages.length === 0) throw new Error(review.nothingToRevert);
      return startRevert(place, review.revertOf(row.subject || review.untitled), { pages, revision: base, whenSame: review.nothingToRevert });
    },
    ...useStarted(),
  });
}

/** Starts a change request that makes a page what it was in a revision, and shows it. */
export function useRestorePage(place: Place) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: async ({ page, title, revision }: { page: string; title: string; revision: string }) => {
      if (await isSameNow(place, page, revision)) throw new Error(review.sameAlready);
      return startRevert(place, review.restoreOf(title || review.untitledPage), { pages: [page], revision, whenSame: review.sameAlready });
    },
    ...useStarted(),
  });
}
