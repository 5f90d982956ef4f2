import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { collectionsQuery, spacesQuery } from "../api/queries";
import { teamsQuery } from "../people/queries";
import { sitesQuery } from "../sites/queries";
import type { Titles } from "./sentence";

function titlesOf(list: readonly { id: string; title: string }[] | undefined): ReadonlyMap<string, string> {
  return new Map((list ?? []).map(({ id, title }) => [id, title]));
}

/** Returns the titles of the spaces, collections, sites and teams of an organization. */
export function useTitles(organization: string): Titles {
  const spaces = useQuery(spacesQuery(organization)).data;
  const collections = useQuery(collectionsQuery(organization)).data;
  const sites = useQuery(sitesQuery(organization)).data;
  const teams = useQuery(teamsQuery(organization)).data;
  return useMemo(
    () => ({ space: titlesOf(spaces), collection: titlesOf(collections), site: titlesOf(sites), team: titlesOf(teams) }),
    [spaces, collections, sites, teams],
  );
}
