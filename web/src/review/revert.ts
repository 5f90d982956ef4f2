import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, changeContent, startChangeRequest } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { notify } from "../ui";
import type { ChangePlace } from "./actions";
import { differencesQuery, MAX_SUBJECT } from "./queries";

/** Maximum number of changes in one request. */
const AT_ONCE = 50;

/** Reads the ids of all pages that a change request changed since a revision. */
async function changedPages(place: ChangePlace, revisions: { base: string; head: string }): Promise<string[]> {
  const found = await queries.fetchInfiniteQuery({ ...differencesQuery(place, revisions), pages: Infinity });
  return found.pages.flatMap(({ items }) => items.flatMap(({ kind, id }) => (kind === "page" ? [id] : [])));
}

/** Starts a change request that makes the pages of a merged one what they were before, and shows it. */
export function useRevert(place: ChangePlace, row: Schemas["ChangeRequest"]) {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const base = row.revisionMergedAncestor ?? row.revisionInitial;
      const pages = await changedPages(place, { base, head: row.revision });
      if (pages.length === 0) throw new Error(review.nothingToRevert);
      const made = await startChangeRequest(place.space, review.revertOf(row.subject || review.untitled).slice(0, MAX_SUBJECT));
      const next = { ...place, changeRequest: String(made.number) };
      try {
        for (let from = 0; from < pages.length; from += AT_ONCE) {
          const changes = pages.slice(from, from + AT_ONCE).map((page) => ({ operation: "revert_page" as const, page, revision: base }));
          await changeContent(next, changes);
        }
      } catch (error) {
        const params = { path: { spaceId: place.space, changeRequestId: next.changeRequest } };
        await data(client.PATCH("/spaces/{spaceId}/change-requests/{changeRequestId}", { params, body: { status: "archived" } }));
        throw error;
      }
      return next;
    },
    onSuccess: (next) => {
      notify(review.revertStarted, { tone: "success" });
      navigate(addressOf(next, "~/review"));
    },
    onError: (error: Error) => notify(error.message, { tone: "danger" }),
  });
}
