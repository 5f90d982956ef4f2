import { QueryClient, queryOptions } from "@tanstack/react-query";

import { all, client, data, setCsrfToken } from "./client";
import { ApiError } from "./errors";

/** The answers of the API that pages share, by keys. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 3 && error instanceof ApiError && error.isTemporary,
    },
    mutations: { retry: false },
  },
});

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: Infinity,
  queryFn: async () => {
    const session = await data(client.GET("/bindery/session"));
    setCsrfToken(session.csrfToken);
    return session;
  },
});

export const organizationsQuery = queryOptions({
  queryKey: ["orgs"],
  staleTime: 60_000,
  queryFn: () => all((page) => data(client.GET("/orgs", { params: { query: { limit: 100, ...(page && { page }) } } }))),
});

export const organizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId],
    staleTime: 60_000,
    queryFn: () => data(client.GET("/orgs/{organizationId}", { params: { path: { organizationId } } })),
  });

export const spacesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "spaces"],
    queryFn: () =>
      all((page) =>
        data(
          client.GET("/orgs/{organizationId}/spaces", {
            params: { path: { organizationId }, query: { limit: 100, ...(page && { page }) } },
          }),
        ),
      ),
  });

export const collectionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "collections"],
    queryFn: () =>
      all((page) =>
        data(
          client.GET("/orgs/{organizationId}/collections", {
            params: { path: { organizationId }, query: { limit: 100, ...(page && { page }) } },
          }),
        ),
      ),
  });

export const spaceQuery = (spaceId: string) =>
  queryOptions({
    queryKey: ["space", spaceId],
    queryFn: () => data(client.GET("/spaces/{spaceId}", { params: { path: { spaceId } } })),
  });
