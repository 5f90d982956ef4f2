import { queryOptions } from "@tanstack/react-query";

import { client } from "../api/client";
import { errorOf } from "../api/errors";

/** Time in milliseconds after which notifications are read again while the page is visible. */
export const INTERVAL = 60_000;

/** The beginning of the keys of everything about notifications. */
export const keyOf = (organization: string) => ["org", organization, "notifications"];

/** Reads a part of the list of notifications. */
export function read(organizationId: string, query: { read?: boolean; limit: number; page?: string }, signal: AbortSignal) {
  return client.GET("/bindery/orgs/{organizationId}/notifications", { params: { path: { organizationId }, query }, signal });
}

/** The number of unread notifications. It is read again and again while the page is visible. */
export const unreadQuery = (organization: string) =>
  queryOptions({
    queryKey: [...keyOf(organization), "unread"],
    refetchInterval: INTERVAL,
    queryFn: async ({ signal }) => {
      // If the session has ended, people are led to the sign-in page by what they do, not while they write.
      const { data: found, error, response } = await read(organization, { read: false, limit: 1 }, signal);
      if (found === undefined) throw errorOf(response.status, error);
      return found.unread;
    },
  });
