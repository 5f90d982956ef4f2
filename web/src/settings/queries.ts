import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import { nextPage } from "../people/queries";

export type Token = Schemas["PersonalToken"];
export type Session = Schemas["Session"];
export type AuditEvent = Schemas["AuditEvent"];
export type Job = Schemas["Job"];
export type JobKind = Schemas["JobKind"];
export type JobStatus = Schemas["JobStatus"];

/** Number of entries that a list reads at once. */
const PAGE_SIZE = 50;
/** The time between two looks at jobs that are not finished, in milliseconds. */
const JOBS_INTERVAL = 2_000;

/** The personal tokens of the person. */
export const tokensQuery = queryOptions({
  queryKey: ["user", "tokens"],
  queryFn: () => all((page) => data(client.GET("/bindery/user/tokens", { params: { query: { limit: 100, ...(page && { page }) } } }))),
});

/** The sessions of the person, the present one first, then the one that was used last. */
export const sessionsQuery = queryOptions({
  queryKey: ["user", "sessions"],
  queryFn: async () => {
    const found = await all<Session>((page) => data(client.GET("/bindery/user/sessions", { params: { query: { limit: 100, ...(page && { page }) } } })));
    return found.sort((a, b) => Number(b.current) - Number(a.current) || b.lastUsedAt.localeCompare(a.lastUsedAt));
  },
});

/** The audit events to show; empty texts select all. Times are in ISO 8601. */
export interface AuditFilter {
  actor: string;
  action: string;
  target: string;
  from: string;
  to: string;
}

/** The audit events of an organization, newest first, page by page. */
export const auditQuery = (organizationId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["org", organizationId, "audit", filter],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
      const query = { ...asked, limit: PAGE_SIZE, ...(pageParam && { page: pageParam }) };
      return data(client.GET("/orgs/{organizationId}/audit-events", { params: { path: { organizationId }, query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** An audit event with the state before and after. */
export const auditEventQuery = (organizationId: string, auditEventId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "audit", "event", auditEventId],
    staleTime: Infinity,
    queryFn: () => data(client.GET("/orgs/{organizationId}/audit-events/{auditEventId}", { params: { path: { organizationId, auditEventId } } })),
  });

/** The kinds of audit events, with their labels. */
export const auditActionsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "audit", "actions"],
    staleTime: Infinity,
    queryFn: async () => (await data(client.GET("/orgs/{organizationId}/audit-event-actions", { params: { path: { organizationId } } }))).items,
  });

/** The jobs to show; empty texts select all. */
export interface JobFilter {
  status: JobStatus | "";
  kind: JobKind | "";
}

/** Returns `true` if a job has not ended yet. */
export function isActive({ status }: Job): boolean {
  return status === "queued" || status === "running";
}

/** The jobs of an organization, newest first, page by page. They are read again while one of them has not ended. */
export const jobsQuery = (organizationId: string, { status, kind }: JobFilter) =>
  infiniteQueryOptions({
    queryKey: ["org", organizationId, "jobs", { status, kind }],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { organization: organizationId, limit: PAGE_SIZE, ...(status && { status }), ...(kind && { kind }), ...(pageParam && { page: pageParam }) };
      return data(client.GET("/bindery/jobs", { params: { query }, signal }));
    },
    getNextPageParam: nextPage,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isActive)) ? JOBS_INTERVAL : false),
  });
