import { queryOptions } from "@tanstack/react-query";

import { all, client, data, type Schemas } from "../api/client";
import { ApiError } from "../api/errors";

/** The place of a site in the API. */
export interface SiteRef {
  organization: string;
  site: string;
}

export type Site = Schemas["Site"];
export type Structure = Schemas["SiteStructure"];
export type SiteSpace = Schemas["SiteSpace"];
export type ExternalLink = Schemas["SiteExternalLink"];
export type Visibility = Schemas["SiteVisibility"];

/** Returns the parameters of the path of a site. */
export function pathOf({ organization, site }: SiteRef) {
  return { organizationId: organization, siteId: site };
}

/** Returns the address of a view of a site in the application. */
export function addressOfSite({ organization, site }: SiteRef, view?: string): string {
  return `/o/${organization}/sites/${site}${view ? `/${view}` : ""}`;
}

/** Returns the beginning of the keys of all that is known of a site. */
export function keyOfSite({ site }: SiteRef) {
  return ["site", site] as const;
}

/** The parameters of one page of a list. */
function pageOf(page: string | undefined, limit = 100) {
  return { limit, ...(page && { page }) };
}

export const sitesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "sites"],
    queryFn: () => all((page) => data(client.GET("/orgs/{organizationId}/sites", { params: { path: { organizationId }, query: pageOf(page) } }))),
  });

export const siteQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "site"],
    queryFn: () => data(client.GET("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(ref) } })),
  });

export const structureQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "structure"],
    queryFn: () => data(client.GET("/orgs/{organizationId}/sites/{siteId}/structure", { params: { path: pathOf(ref) } })),
  });

export const siteSpacesQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "site-spaces"],
    queryFn: () =>
      all((page) =>
        data(client.GET("/orgs/{organizationId}/sites/{siteId}/site-spaces", { params: { path: pathOf(ref), query: pageOf(page) } })),
      ),
  });

export const externalLinksQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "external-links"],
    queryFn: () =>
      all((page) =>
        data(client.GET("/bindery/orgs/{organizationId}/sites/{siteId}/external-links", { params: { path: pathOf(ref), query: pageOf(page) } })),
      ),
  });

/** The conditions that the schema of the claims suggests. */
export const templateConditionsQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "template-conditions"],
    queryFn: async () => {
      const found = client.GET("/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions", { params: { path: pathOf(ref) } });
      return (await data(found)).items;
    },
  });

/** The schema of the claims of visitors, or `null` if the site has none. */
export const schemaQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "schema"],
    queryFn: async () => {
      try {
        return await data(client.GET("/orgs/{organizationId}/sites/{siteId}/adaptive-schema", { params: { path: pathOf(ref) } }));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

/** The visitors of the last 30 days by their claims. */
export const segmentsQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "segments"],
    queryFn: async () => {
      const found = client.GET("/orgs/{organizationId}/sites/{siteId}/insights/visitor-segments", { params: { path: pathOf(ref) } });
      return (await data(found)).items;
    },
  });

export const authQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "auth"],
    queryFn: () => data(client.GET("/orgs/{organizationId}/sites/{siteId}/publishing/auth", { params: { path: pathOf(ref) } })),
  });

export const shareLinksQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "share-links"],
    queryFn: () =>
      all((page) =>
        data(client.GET("/orgs/{organizationId}/sites/{siteId}/share-links", { params: { path: pathOf(ref), query: pageOf(page) } })),
      ),
  });

export const customizationQuery = (ref: SiteRef) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "customization"],
    queryFn: () => data(client.GET("/orgs/{organizationId}/sites/{siteId}/customization", { params: { path: pathOf(ref) } })),
  });

/** The customization of a site with the overrides of a site space. */
export const variantCustomizationQuery = (ref: SiteRef, siteSpaceId: string) =>
  queryOptions({
    queryKey: [...keyOfSite(ref), "customization", siteSpaceId],
    queryFn: () => {
      const params = { path: { ...pathOf(ref), siteSpaceId } };
      return data(client.GET("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", { params }));
    },
  });

export const fontsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["org", organizationId, "fonts"],
    queryFn: async () => (await data(client.GET("/orgs/{organizationId}/fonts", { params: { path: { organizationId } } }))).items,
  });

/**
 * Returns an address at which members read the site as it is, for one hour.
 *
 * @param claims the claims of the visitor whose view is shown, as JSON.
 */
export async function previewAddress(ref: SiteRef, { siteSpace, claims }: { siteSpace?: string; claims?: string } = {}): Promise<string> {
  const query = { ...(siteSpace && { siteSpace }), ...(claims && { claims }) };
  const found = await data(client.GET("/orgs/{organizationId}/sites/{siteId}/publishing/preview", { params: { path: pathOf(ref), query } }));
  return found.url;
}
