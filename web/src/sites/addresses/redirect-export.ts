import type { QueryClient } from "@tanstack/react-query";

import { all, client, data } from "../../api/client";
import { pagesQuery } from "../../api/place";
import { pageChoices } from "../page-picker";
import { pathOf, type SiteRef, type SiteSpace, siteSpacesQuery, structureQuery } from "../queries";
import { allOf, nodesOf } from "../structure/tree";
import { writeRedirects } from "./csv";

/** Returns all redirects of a site as a table. A redirect to a section leads to the first page of its default space. */
export async function exportRedirects(site: SiteRef, cache: QueryClient): Promise<string> {
  const [redirects, spaces, structure] = await Promise.all([
    all((page) => {
      const query = { limit: 100, ...(page && { page }) };
      return data(client.GET("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path: pathOf(site), query } }));
    }),
    cache.fetchQuery(siteSpacesQuery(site)),
    cache.fetchQuery(structureQuery(site)),
  ]);
  const sections = new Map(allOf(nodesOf(structure), "site-section").map(({ id, item }) => [id, item.siteSpaces.find((space) => space.default) ?? item.siteSpaces[0]]));
  const byId = new Map<string, SiteSpace>(spaces.map((space) => [space.id, space]));
  const paths = new Map<string, string>();
  const used = new Set(redirects.flatMap(({ destination }) => (destination.kind === "site-page" ? [byId.get(destination.siteSpaceId)?.space.id ?? ""] : [])));
  for (const space of used) {
    if (space === "") continue;
    const pages = await cache.fetchQuery(pagesQuery({ organization: site.organization, space }));
    for (const { id, path } of pageChoices(pages)) paths.set(id, path);
  }
  return writeRedirects(
    redirects.flatMap(({ source, destination }) => {
      const space = destination.kind === "site-section" ? sections.get(destination.siteSectionId) : byId.get(destination.siteSpaceId);
      const path = destination.kind === "site-page" ? paths.get(destination.pageId) : "";
      return space && path !== undefined ? [{ source, path, space: space.path }] : [];
    }),
  );
}
