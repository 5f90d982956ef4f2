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

/** The last jobs of a space of some kinds, newest first, which are read again until they are finished. */
export const jobsQuery = (spaceId: string, kinds: readonly Schemas["JobKind"][]) =>
  queryOptions({
    queryKey: ["space", spaceId, "jobs", kinds],
    queryFn: async () => {
      const found = await Promise.all(
        kinds.map((kind) => data(client.GET("/bindery/jobs", { params: { query: { space: spaceId, kind, limit: 10 } } }))),
      );
      return found
        .flatMap(({ items }) => items)
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, 10);
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
