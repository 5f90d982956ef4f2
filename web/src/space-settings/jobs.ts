import { queryOptions } from "@tanstack/react-query";

import { client, data, type Schemas } from "../api/client";

export type Job = Schemas["Job"];

/** Milliseconds between two looks at a job that is not finished. */
const INTERVAL = 1000;

/** True if a job is not finished. */
export function isActive({ status }: Pick<Job, "status">): boolean {
  return status === "queued" || status === "running";
}

/** A job, which is read again until it is finished. */
export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ["job", jobId],
    queryFn: () => data(client.GET("/bindery/jobs/{jobId}", { params: { path: { jobId } } })),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? INTERVAL : false),
  });

/** The kinds of jobs that bring content into a space or out of it once. */
const KINDS = ["archive-import", "git-import", "git-export"] as const;

/** Number of jobs in the list of the last ones. */
const LIST_SIZE = 10;

/** The last imports and exports of a space, newest first, which are read again until they are finished. */
export const jobsQuery = (spaceId: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "jobs"],
    queryFn: async () => {
      const found = await Promise.all(KINDS.map((kind) => data(client.GET("/bindery/jobs", { params: { query: { space: spaceId, kind, limit: LIST_SIZE } } }))));
      return found
        .flatMap(({ items }) => items)
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, LIST_SIZE);
    },
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? INTERVAL : false),
  });

interface Started {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Waits for the answer to a request that starts a job, and returns the id of the job, which its `Location` header contains. */
export async function startedJob(answer: Promise<Started>): Promise<string> {
  let location: string | null = null;
  await data(
    answer.then((found) => {
      location = found.response.headers.get("Location");
      return found;
    }),
  );
  return (location ?? "").split("/").at(-1) ?? "";
}
