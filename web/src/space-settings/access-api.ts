import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import { nextPage } from "../people/queries";
import type { MemberRole, Role } from "../people/roles";

/** A space or a collection to which access is granted. */
export interface Resource {
  kind: "space" | "collection";
  id: string;
}

/** A person or a team with a grant. */
export interface Grantee {
  kind: "person" | "team";
  id: string;
  name: string;
}

/** Number of people that the list of everybody with access reads at once. */
const PAGE_SIZE = 50;

/** The beginning of the keys of the access to something. */
export function accessKey({ kind, id }: Resource): readonly string[] {
  return ["grants", kind, id];
}

/** The people with a grant on something itself. */
export const userGrantsQuery = (resource: Resource) =>
  queryOptions({
    queryKey: [...accessKey(resource), "users"],
    queryFn: () =>
      all<Schemas["UserContentPermission"]>((page) => {
        const query = { limit: 100, ...(page && { page }) };
        if (resource.kind === "space") return data(client.GET("/spaces/{spaceId}/permissions/users", { params: { path: { spaceId: resource.id }, query } }));
        return data(client.GET("/collections/{collectionId}/permissions/users", { params: { path: { collectionId: resource.id }, query } }));
      }),
  });

/** The teams with a grant on something itself. */
export const teamGrantsQuery = (resource: Resource) =>
  queryOptions({
    queryKey: [...accessKey(resource), "teams"],
    queryFn: () =>
      all((page) => {
        const query = { limit: 100, ...(page && { page }) };
        if (resource.kind === "space") return data(client.GET("/spaces/{spaceId}/permissions/teams", { params: { path: { spaceId: resource.id }, query } }));
        return data(client.GET("/collections/{collectionId}/permissions/teams", { params: { path: { collectionId: resource.id }, query } }));
      }),
  });

/** Everybody who has access to something, with the sources of their roles, page by page. */
export const everybodyQuery = (resource: Resource, role: MemberRole | "") =>
  infiniteQueryOptions({
    queryKey: [...accessKey(resource), "everybody", role],
    placeholderData: keepPreviousData,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_SIZE, ...(role && { role }), ...(pageParam && { page: pageParam }) };
      if (resource.kind === "space") {
        return data(client.GET("/spaces/{spaceId}/permissions/aggregate", { params: { path: { spaceId: resource.id }, query }, signal }));
      }
      return data(client.GET("/collections/{collectionId}/permissions/aggregate", { params: { path: { collectionId: resource.id }, query }, signal }));
    },
    getNextPageParam: nextPage,
  });

/** Grants a role on something to a person or a team that has none. */
export function addGrant({ kind, id }: Resource, { kind: to, id: grantee }: Grantee, role: Role): Promise<unknown> {
  const body = { role, ...(to === "team" ? { teams: [grantee] } : { users: [grantee] }) };
  if (kind === "space") return data(client.POST("/spaces/{spaceId}/permissions", { params: { path: { spaceId: id } }, body }));
  return data(client.POST("/collections/{collectionId}/permissions", { params: { path: { collectionId: id } }, body }));
}

/** Changes the role that was granted on something to a person or a team. */
export function changeGrant({ kind, id }: Resource, { kind: to, id: grantee }: Grantee, role: MemberRole): Promise<unknown> {
  const body = { role };
  if (to === "team") {
    if (kind === "space") return data(client.PATCH("/spaces/{spaceId}/permissions/teams/{teamId}", { params: { path: { spaceId: id, teamId: grantee } }, body }));
    return data(client.PATCH("/collections/{collectionId}/permissions/teams/{teamId}", { params: { path: { collectionId: id, teamId: grantee } }, body }));
  }
  if (kind === "space") return data(client.PATCH("/spaces/{spaceId}/permissions/users/{userId}", { params: { path: { spaceId: id, userId: grantee } }, body }));
  return data(client.PATCH("/collections/{collectionId}/permissions/users/{userId}", { params: { path: { collectionId: id, userId: grantee } }, body }));
}

/** Ends the grant of a person or a team on something. */
export function removeGrant({ kind, id }: Resource, { kind: to, id: grantee }: Grantee): Promise<unknown> {
  if (to === "team") {
    if (kind === "space") return data(client.DELETE("/spaces/{spaceId}/permissions/teams/{teamId}", { params: { path: { spaceId: id, teamId: grantee } } }));
    return data(client.DELETE("/collections/{collectionId}/permissions/teams/{teamId}", { params: { path: { collectionId: id, teamId: grantee } } }));
  }
  if (kind === "space") return data(client.DELETE("/spaces/{spaceId}/permissions/users/{userId}", { params: { path: { spaceId: id, userId: grantee } } }));
  return data(client.DELETE("/collections/{collectionId}/permissions/users/{userId}", { params: { path: { collectionId: id, userId: grantee } } }));
}

/** Sets the role that all members have on something. */
export function setDefaultLevel({ kind, id }: Resource, defaultLevel: Schemas["DefaultLevel"]): Promise<unknown> {
  const body = { defaultLevel };
  if (kind === "space") return data(client.PATCH("/spaces/{spaceId}", { params: { path: { spaceId: id } }, body }));
  return data(client.PATCH("/collections/{collectionId}", { params: { path: { collectionId: id } }, body }));
}
