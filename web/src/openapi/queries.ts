import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { all, client, data, request } from "../api/client";
import { nextPage } from "../people/queries";
import { type Change, type ChangeFilter, type Changes, searchOf } from "./changes";
import type { PartKind, PartList } from "./parts";
import type { Overlay } from "./overlays";
import { isRunning } from "./spec";

/** Number of specifications or versions that a list reads at once. */
const PAGE_SIZE = 50;
/** The time between two looks at a specification that is being read, in milliseconds. */
const INTERVAL = 1_000;

/** A specification of an organization. */
export interface SpecRef {
  organization: string;
  slug: string;
}

/** Returns the parameters of the paths of operations on a specification. */
export function pathOf({ organization, slug }: SpecRef) {
  return { organizationId: organization, specSlug: slug };
}

/** Returns the address of a specification in the application, or that of their list. */
export function addressOfSpecs(organization: string, slug?: string): string {
  return `/o/${organization}/openapi${slug === undefined ? "" : `/${encodeURIComponent(slug)}`}`;
}

/** The beginning of the keys of all that is known of the specifications of an organization. */
export function keyOfSpecs(organization: string) {
  return ["org", organization, "openapi"] as const;
}

/** The specifications, page by page. They are read again while one of them is being read. */
export const specsQuery = (organization: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOfSpecs(organization), "list"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam && { page: pageParam }) };
      return data(client.GET("/orgs/{organizationId}/openapi", { params: { path: { organizationId: organization }, query }, signal }));
    },
    getNextPageParam: nextPage,
    refetchInterval: ({ state }) => (state.data?.pages.some(({ items }) => items.some(isRunning)) === true ? INTERVAL : false),
  });

/** A specification, which is read again while its source is being read. */
export const specQuery = (ref: SpecRef) =>
  queryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "spec", ref.slug],
    queryFn: ({ signal }) => data(client.GET("/orgs/{organizationId}/openapi/{specSlug}", { params: { path: pathOf(ref) }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isRunning(state.data) ? INTERVAL : false),
  });

/** The versions of a specification, newest first, page by page. They belong to the version in use, so that another one shows another list. */
export const versionsQuery = (ref: SpecRef, inUse: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "versions", ref.slug, inUse],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(pageParam && { page: pageParam }) };
      return data(client.GET("/orgs/{organizationId}/openapi/{specSlug}/versions", { params: { path: pathOf(ref), query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** The text that was uploaded, as long as the last version has it. */
export const uploadedTextQuery = (ref: SpecRef, inUse: string) =>
  queryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "text", ref.slug, inUse],
    // It can be large.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const params = { path: pathOf(ref) };
      return (await data(client.GET("/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content/raw", { params, signal }))).text;
    },
  });

interface PartsAsked {
  kind: PartKind;
  /** The words of a search. */
  query?: string | undefined;
  page?: string | undefined;
  limit?: number;
}

/** Reads a page of the list of operations, webhooks or models of the last version of a specification. */
export async function listParts({ organization, slug }: SpecRef, { kind, query, page, limit = PAGE_SIZE }: PartsAsked, signal: AbortSignal): Promise<PartList> {
  const asked = new URLSearchParams({ kind, limit: String(limit), ...(query && { query }), ...(page !== undefined && { page }) });
  const found = await request(`/bindery/orgs/${organization}/openapi/${encodeURIComponent(slug)}/operations?${asked}`, { signal });
  return (await found.json()) as PartList;
}

/** The operations, webhooks or models that a text finds, page by page. */
export const partsQuery = (ref: SpecRef, kind: PartKind, query: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "parts", ref.slug, kind, query],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => listParts(ref, { kind, query, page: pageParam }, signal),
    getNextPageParam: nextPage,
  });

/** Number of changes that a list reads at once. */
const CHANGES_SIZE = 100;

/** Returns the address of the changes of a version in the application. */
export function addressOfChanges({ organization, slug }: SpecRef, version: string, filter?: ChangeFilter): string {
  return `${addressOfSpecs(organization, slug)}/changes/${encodeURIComponent(version)}${filter === undefined ? "" : searchOf(filter)}`;
}

function keyOfChanges({ organization, slug }: SpecRef, version: string) {
  return [...keyOfSpecs(organization), "changes", slug, version] as const;
}

function getChanges(ref: SpecRef, versionId: string, { level, text }: ChangeFilter, limit: number, page?: string, signal?: AbortSignal): Promise<Changes> {
  const query = { limit, ...(level !== "all" && { level }), ...(text !== "" && { query: text }), ...(page && { page }) };
  const path = "/bindery/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes";
  return data(client.GET(path, { params: { path: { ...pathOf(ref), versionId }, query }, ...(signal && { signal }) }));
}

/** A version of a specification. */
export const versionQuery = (ref: SpecRef, versionId: string) =>
  queryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "version", ref.slug, versionId],
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      data(client.GET("/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}", { params: { path: { ...pathOf(ref), versionId } }, signal })),
  });

/** The numbers of changes of a version, which are read again while it is being compared. */
export const changeCountsQuery = (ref: SpecRef, version: string) =>
  queryOptions({
    queryKey: [...keyOfChanges(ref, version), "counts"],
    queryFn: ({ signal }) => getChanges(ref, version, { level: "all", text: "" }, 1, undefined, signal),
    staleTime: ({ state }) => (state.data?.state === "complete" || state.data?.state === "first" ? Infinity : 0),
    refetchInterval: ({ state }) => (state.data?.state === "pending" ? INTERVAL : false),
  });

/** The changes of a version, page by page. */
export const changesQuery = (ref: SpecRef, version: string, filter: ChangeFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOfChanges(ref, version), "list", filter],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => getChanges(ref, version, filter, CHANGES_SIZE, pageParam, signal),
    getNextPageParam: nextPage,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.state === "pending" ? INTERVAL : false),
  });

/** Reads all changes of a version that a filter selects. */
export function listChanges(ref: SpecRef, version: string, filter: ChangeFilter): Promise<Change[]> {
  return all((page) => getChanges(ref, version, filter, CHANGES_SIZE * 10, page));
}

/** The overlays of a specification, in the order in which they are applied. */
export const overlaysQuery = (ref: SpecRef) =>
  queryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "overlays", ref.slug],
    queryFn: async ({ signal }) => (await data(client.GET("/bindery/orgs/{organizationId}/openapi/{specSlug}/overlays", { params: { path: pathOf(ref) }, signal }))).items as Overlay[],
  });

/** Sets the overlays of a specification, which is then read again. */
export async function setOverlays(ref: SpecRef, overlays: Overlay[]): Promise<Overlay[]> {
  return (await data(client.PUT("/bindery/orgs/{organizationId}/openapi/{specSlug}/overlays", { params: { path: pathOf(ref) }, body: { overlays } }))).items as Overlay[];
}

/** The hook of a specification. */
export const hookQuery = (ref: SpecRef) =>
  queryOptions({
    queryKey: [...keyOfSpecs(ref.organization), "hook", ref.slug],
    queryFn: ({ signal }) => data(client.GET("/bindery/orgs/{organizationId}/openapi/{specSlug}/hook", { params: { path: pathOf(ref) }, signal })),
  });

/** Creates the hook of a specification, or replaces it. */
export function createHook(ref: SpecRef) {
  return data(client.PUT("/bindery/orgs/{organizationId}/openapi/{specSlug}/hook", { params: { path: pathOf(ref) } }));
}

export function deleteHook(ref: SpecRef) {
  return data(client.DELETE("/bindery/orgs/{organizationId}/openapi/{specSlug}/hook", { params: { path: pathOf(ref) } }));
}
