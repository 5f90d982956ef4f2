import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import { keyOf, type Place } from "../api/place";
import type { JsonDocument, JsonNode } from "../editor/document";
import type { ChangePlace } from "./actions";
import type { Difference } from "./difference";

/** Maximum number of changed pages, files and other items that a review shows. */
export const MAX_DIFFERENCES = 1000;

/** Maximum length of the subject of a change request in characters. */
export const MAX_SUBJECT = 100;

/** The two revisions that a review compares. */
export interface Revisions {
  base: string;
  head: string;
}

/** Returns the parameters of the path of an operation on a change request. */
export function pathOf({ space: spaceId, changeRequest: changeRequestId }: ChangePlace) {
  return { spaceId, changeRequestId };
}

/** The changes of a change request between two of its revisions, item by item. */
export const differencesQuery = (place: ChangePlace, revisions: Revisions | undefined) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(place), "differences", revisions],
    enabled: revisions !== undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    initialPageParam: "",
    queryFn: async ({ pageParam, signal }) => {
      const params = { path: pathOf(place), query: { limit: 50, format: "json" as const, ...(pageParam !== "" && { page: pageParam }) } };
      const answer = client.GET("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/differences", { params, signal });
      const { items, next } = (await data(answer)) as { items: Difference[]; next?: { page: string } };
      return { items, next, revisions };
    },
    getNextPageParam: ({ next }, pages) => (pages.reduce((count, { items }) => count + items.length, 0) < MAX_DIFFERENCES ? next?.page : undefined),
  });

/** The places that both a change request and the main content changed differently. */
export const conflictsQuery = (place: ChangePlace) =>
  queryOptions({
    queryKey: [...keyOf(place), "conflicts"],
    queryFn: () =>
      all<Schemas["ContentConflict"]>((page) => {
        const params = { path: pathOf(place), query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", { params }));
      }),
  });

/** The reviews of a change request. */
export const reviewsQuery = (place: ChangePlace) =>
  queryOptions({
    queryKey: [...keyOf(place), "reviews"],
    queryFn: () =>
      all<Schemas["ChangeRequestReview"]>((page) => {
        const params = { path: pathOf(place), query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", { params }));
      }),
  });

/** The people who were asked for a review. */
export const askedQuery = (place: ChangePlace) =>
  queryOptions({
    queryKey: [...keyOf(place), "asked"],
    queryFn: async () => {
      const params = { path: pathOf(place), query: { limit: 100 } };
      const found = await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", { params }));
      return found.items.flatMap((one) => (one.kind === "user" ? [one.user] : []));
    },
  });

/** The people who took part in a change request. */
export const contributorsQuery = (place: ChangePlace) =>
  queryOptions({
    queryKey: [...keyOf(place), "contributors"],
    queryFn: async () => {
      const params = { path: pathOf(place) };
      return (await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/contributors", { params }))).items;
    },
  });

/** The links that a change request breaks. */
export const brokenLinksQuery = (place: ChangePlace, head: string) =>
  queryOptions({
    queryKey: [...keyOf(place), "broken", head],
    enabled: head !== "",
    queryFn: () => {
      const params = { path: pathOf(place), query: { limit: 50, status: "broken" as const, brokenContext: "change-request" as const } };
      return data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/links", { params }));
    },
  });

/** The mistakes in the pages that a change request adds or changes. */
export const problemsQuery = (place: ChangePlace, head: string) =>
  queryOptions({
    queryKey: [...keyOf(place), "problems", head],
    enabled: head !== "",
    queryFn: () => data(client.GET("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/problems", { params: { path: pathOf(place) } })),
  });

/** Returns the blocks of a page as an operation answers them. */
export function nodesOf(page: unknown): JsonNode[] {
  return (page as { document?: JsonDocument }).document?.nodes ?? [];
}

/** The blocks of a page in a revision; none if the page is not in it. */
export const nodesQuery = (spaceId: string, revisionId: string, pageId: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "revision", revisionId, "nodes", pageId],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const params = { path: { spaceId, revisionId, pageId }, query: { format: "document" as const } };
      const answer = await client.GET("/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", { params, signal });
      return answer.response.status === 404 ? [] : nodesOf(await data(Promise.resolve(answer)));
    },
  });

/** The files of a revision by their ids. */
export const revisionFilesQuery = (spaceId: string, revisionId: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "revision", revisionId, "files"],
    staleTime: 600_000,
    queryFn: async () => {
      const items = await all<Schemas["RevisionFile"]>((page) => {
        const params = { path: { spaceId, revisionId }, query: { limit: 1000, ...(page && { page }) } };
        return data(client.GET("/spaces/{spaceId}/revisions/{revisionId}/files", { params }));
      });
      return new Map(items.map((file) => [file.id, file]));
    },
  });

/** Returns the key below which a space or an organization keeps its lists of change requests. */
export function listKey(organization: string, space: string | undefined): string[] {
  return space === undefined ? ["org", organization, "changes"] : ["space", space, "changes"];
}

/** Returns the name under which the browser stores what belongs to a place. */
export function storeOf({ space, changeRequest }: Place, name: string): string {
  return `bindery.${name}.${space}.${changeRequest ?? "main"}`;
}
