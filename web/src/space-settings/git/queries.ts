import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../../api/client";
import { ApiError } from "../../api/errors";
import { nextPage } from "../../people/queries";

export type GitSync = Schemas["GitSync"];
export type SetGitSync = Schemas["SetGitSync"];
export type Run = Schemas["GitSyncRun"];

/** Number of runs that the list reads at once. */
const PAGE_SIZE = 10;

/** Milliseconds between two looks at a synchronisation while it runs, and while it waits. */
const BUSY_INTERVAL = 1500;
const QUIET_INTERVAL = 15_000;

/** The beginning of the keys of everything about the synchronisation of a space. */
export function gitKey(spaceId: string): readonly string[] {
  return ["space", spaceId, "git"];
}

/** Waits for an answer; an answer that there is no such thing is `null`. */
async function orNone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The synchronisation of a space, or `null`. */
export const gitSyncQuery = (spaceId: string) =>
  queryOptions({
    queryKey: [...gitKey(spaceId), "sync"],
    queryFn: () => orNone(data(client.GET("/bindery/spaces/{spaceId}/git-sync", { params: { path: { spaceId } } }))),
    refetchInterval: ({ state: { data: sync } }) => (sync?.lastRun?.state === "running" || (sync && !sync.lastRun) ? BUSY_INTERVAL : QUIET_INTERVAL),
  });

/** The runs of a synchronisation, newest first, page by page. */
export const runsQuery = (spaceId: string) =>
  infiniteQueryOptions({
    queryKey: [...gitKey(spaceId), "runs"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam && { page: pageParam }) };
      return data(client.GET("/bindery/spaces/{spaceId}/git-sync/runs", { params: { path: { spaceId }, query } }));
    },
    getNextPageParam: nextPage,
  });

/** The branches that agree with change requests. */
export const branchesQuery = (spaceId: string) =>
  queryOptions({
    queryKey: [...gitKey(spaceId), "branches"],
    queryFn: () =>
      all((page) => {
        const params = { path: { spaceId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/bindery/spaces/{spaceId}/git-sync/branches", { params }));
      }),
  });

/** The result of the last dry run, or `null`. */
export const dryRunQuery = (spaceId: string) =>
  queryOptions({
    queryKey: [...gitKey(spaceId), "dry-run"],
    queryFn: () => orNone(data(client.GET("/bindery/spaces/{spaceId}/git-sync/dry-run", { params: { path: { spaceId } } }))),
  });

/** Sets up the synchronisation of a space, or changes its settings. */
export function setGitSync(spaceId: string, body: SetGitSync): Promise<GitSync> {
  return data(client.PUT("/bindery/spaces/{spaceId}/git-sync", { params: { path: { spaceId } }, body }));
}
