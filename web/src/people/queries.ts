import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import type { RoleKey } from "./roles";

export type Member = Schemas["OrganizationMember"];
export type Team = Schemas["OrganizationTeam"];
export type Invitation = Schemas["Invitation"];

/** Number of entries that a list reads at once. */
const PAGE_SIZE = 50;

/** The ways to select and sort members. */
export interface MemberFilter {
  search: string;
  role: RoleKey | "";
  sort: "joinedAt" | "lastSeenAt";
  order: "asc" | "desc";
}

/** Returns the page of a list after this one. */
export function nextPage(list: { next?: { page: string } | undefined }): string | undefined {
  return list.next?.page;
}

/** The members of an organization, page by page. */
export const membersQuery = (organizationId: string, { search, role, sort, order }: MemberFilter) =>
  infiniteQueryOptions({
    queryKey: ["org", organizationId, "members", { search, role, sort, order }],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { sort, order, limit: PAGE_SIZE, ...(search && { search }), ...(role && { role }), ...(pageParam && { page: pageParam }) };
      return data(client.GET("/orgs/{organizationId}/members", { params: { path: { organizationId }, query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** The first members whose names or addresses contain a text. */
export const foundMembersQuery = (organizationId: string, search: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "members", "found", search],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { limit: 20, ...(search && { search }) };
      return (await data(client.GET("/orgs/{organizationId}/members", { params: { path: { organizationId }, query }, signal }))).items;
    },
  });

export const memberQuery = (organizationId: string, userId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "member", userId],
    queryFn: () => data(client.GET("/orgs/{organizationId}/members/{userId}", { params: { path: { organizationId, userId } } })),
  });

/** The spaces that a member reaches. */
export const memberSpacesQuery = (organizationId: string, userId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "member", userId, "spaces"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId, userId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/members/{userId}/spaces", { params }));
      }),
  });

/** The teams of a member. */
export const memberTeamsQuery = (organizationId: string, userId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "member", userId, "teams"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId, userId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/members/{userId}/teams", { params }));
      }),
  });

/** The permission of a person on something, with all of its sources. */
export const accessQuery = (user: string, resource: string) =>
  queryOptions({
    queryKey: ["access", user, resource],
    queryFn: () => data(client.GET("/bindery/access", { params: { query: { user, resource } } })),
  });

export const teamsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "teams"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/teams", { params }));
      }),
  });

export const teamQuery = (organizationId: string, teamId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "team", teamId],
    queryFn: () => data(client.GET("/orgs/{organizationId}/teams/{teamId}", { params: { path: { organizationId, teamId } } })),
  });

export const teamMembersQuery = (organizationId: string, teamId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "team", teamId, "members"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId, teamId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/teams/{teamId}/members", { params }));
      }),
  });

/** The invitations that nobody has accepted yet. */
export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "invitations"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/bindery/orgs/{organizationId}/invitations", { params }));
      }),
  });

export const inviteLinksQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "link-invites"],
    queryFn: () =>
      all((page) => {
        const params = { path: { organizationId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/orgs/{organizationId}/link-invites", { params }));
      }),
  });
