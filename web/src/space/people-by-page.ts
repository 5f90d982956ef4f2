import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { answered } from "../api/client";
import { ApiError } from "../api/errors";
import type { Place } from "../api/place";
import { sessionQuery } from "../api/queries";
import { compareNames } from "../people/order";
import { ancestorsOf, type TreeIndex } from "./tree";

/** Milliseconds between two times at which the people are read. */
const INTERVAL = 15_000;
/** The same while the window follows a person, who may go to another page. */
const FOLLOWING_INTERVAL = 3_000;

/** A person as others see them. */
export interface User {
  id: string;
  displayName: string;
  photoURL?: string | undefined;
}

/** A person on a page of a content, in any of their windows. */
export interface PersonOnPage {
  page: string;
  user: User;
}

/** The people on the pages of a place, as they were at a time. */
export interface PeopleRead {
  people: readonly PersonOnPage[];
  /** The time at which they were read, in milliseconds. */
  at: number;
}

export type PeopleByPage = ReadonlyMap<string, readonly User[]>;

const NOBODY: readonly PersonOnPage[] = [];

/** The people who write pages of a place. A session that has ended is left to requests that a person makes. */
const peopleQuery = ({ space, changeRequest }: Place) =>
  queryOptions({
    // Apart from the content, which is read again after each change.
    queryKey: ["people", space, changeRequest ?? "main"],
    retry: false,
    queryFn: async ({ signal }): Promise<PersonOnPage[]> => {
      const content = changeRequest === undefined ? "" : `/change-requests/${changeRequest}`;
      const found = await answered(fetch(`/v1/bindery/spaces/${space}${content}/people`, { credentials: "same-origin", signal }), () => {});
      return ((await found.json()) as { items: PersonOnPage[] }).items;
    },
  });

/** Returns the milliseconds after which the people are read again; `false` if the server refused them. */
export function intervalAfter(error: Error | null, isFollowing: boolean): number | false {
  if (error instanceof ApiError && !error.isTemporary) return false;
  return isFollowing ? FOLLOWING_INTERVAL : INTERVAL;
}

/**
 * Returns the people on the pages of a place, and reads them again and again while the window can be
 * seen. Nobody is known after an error, which is not shown.
 */
export function usePeopleRead(place: Place, isEnabled: boolean, isFollowing: boolean): PeopleRead {
  const found = useQuery({
    ...peopleQuery(place),
    enabled: isEnabled,
    refetchInterval: ({ state }) => intervalAfter(state.error, isFollowing),
    refetchOnWindowFocus: "always",
  });
  const people = (isEnabled && !found.isError && found.data) || NOBODY;
  const at = people === NOBODY ? 0 : found.dataUpdatedAt;
  return useMemo(() => ({ people, at }), [people, at]);
}

/** Sorts people by their names. */
function sort(people: User[]): void {
  people.sort((a, b) => compareNames([a.displayName, a.id], [b.displayName, b.id]));
}

/** Returns the people on each page other than the person with an id, each once, by their names. */
export function othersByPage(people: readonly PersonOnPage[], self: string | undefined): PeopleByPage {
  const byPage = new Map<string, User[]>();
  for (const { page, user } of people) {
    const others = byPage.get(page) ?? [];
    if (user.id === self || others.some(({ id }) => id === user.id)) continue;
    byPage.set(page, [...others, user]);
  }
  for (const others of byPage.values()) sort(others);
  return byPage;
}

/** Returns the people on the pages below each page, each once, by their names. */
export function peopleBelow(byPage: PeopleByPage, index: TreeIndex): PeopleByPage {
  const below = new Map<string, User[]>();
  for (const [page, people] of byPage) {
    for (const { id } of ancestorsOf(index, page)) {
      const known = below.get(id) ?? [];
      below.set(id, [...known, ...people.filter((one) => !known.some((other) => other.id === one.id))]);
    }
  }
  for (const people of below.values()) sort(people);
  return below;
}

/** Returns the other people on each page. */
export function useOthersByPage(people: readonly PersonOnPage[]): PeopleByPage {
  const self = useQuery(sessionQuery).data?.user.id;
  return useMemo(() => othersByPage(people, self), [people, self]);
}
