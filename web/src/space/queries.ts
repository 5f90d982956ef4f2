import { queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import { keyOf, type Place } from "../api/place";

/** The change requests of a space that a person works on: drafts and open ones. */
export const ownChangesQuery = (spaceId: string, user: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "changes", { creator: user }],
    enabled: user !== "",
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        (["draft", "open"] as const).map((status) => {
          const params = { path: { spaceId }, query: { creator: user, status, limit: 50 } };
          return data(client.GET("/spaces/{spaceId}/change-requests", { params, signal }));
        }),
      );
      return found.flatMap(({ items }) => items).sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
    },
  });

/** The files of a place. */
export const filesQuery = (place: Place) =>
  queryOptions({
    queryKey: [...keyOf(place), "files"],
    queryFn: () =>
      all<Schemas["RevisionFile"]>((page) => {
        const { space: spaceId, changeRequest } = place;
        const query = { limit: 1000, ...(page && { page }) };
        if (changeRequest === undefined) return data(client.GET("/spaces/{spaceId}/content/files", { params: { path: { spaceId }, query } }));
        const params = { path: { spaceId, changeRequestId: changeRequest }, query };
        return data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content/files", { params }));
      }),
  });

/** A page, a file, or another place that links to something. */
export type Location = Schemas["ContentLocation"];

/** The places that link to a file. */
export const fileBacklinksQuery = (place: Place, fileId: string) =>
  queryOptions({
    queryKey: [...keyOf(place), "files", fileId, "backlinks"],
    queryFn: async ({ signal }): Promise<Location[]> => {
      const { space: spaceId, changeRequest } = place;
      if (changeRequest === undefined) {
        const params = { path: { spaceId, fileId }, query: { limit: 100 } };
        return (await data(client.GET("/spaces/{spaceId}/content/files/{fileId}/backlinks", { params, signal }))).items;
      }
      const params = { path: { spaceId, changeRequestId: changeRequest, fileId }, query: { limit: 100 } };
      const found = client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks", { params, signal });
      return (await data(found)).items;
    },
  });

/** The places that link to a page. */
export const pageBacklinksQuery = (place: Place, pageId: string) =>
  queryOptions({
    queryKey: [...keyOf(place), "backlinks", pageId],
    queryFn: async ({ signal }): Promise<Location[]> => {
      const { space: spaceId, changeRequest } = place;
      if (changeRequest === undefined) {
        const params = { path: { spaceId, pageId }, query: { limit: 100 } };
        return (await data(client.GET("/spaces/{spaceId}/content/page/{pageId}/backlinks", { params, signal }))).items;
      }
      const params = { path: { spaceId, changeRequestId: changeRequest, pageId }, query: { limit: 100 } };
      const found = client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks", { params, signal });
      return (await data(found)).items;
    },
  });
