import { useMutation, useQueryClient } from "@tanstack/react-query";

import { client, data } from "../../api/client";
import type { operations } from "../../api/contract";
import { useMessages } from "../../i18n";
import { notify } from "../../ui";
import { differences, withDifferences } from "../differences";
import { customizationQuery, pathOf, type SiteRef, siteQuery, variantCustomizationQuery } from "../queries";
import type { Customization } from "./model";

type Overrides = operations["overrideSiteSpaceCustomizationById"]["requestBody"]["content"]["application/json"];

/** Changes the customization of a site as it is now on the server. Only a whole one can be sent. */
export async function changeCustomization(site: SiteRef, change: (now: Customization) => Customization): Promise<Customization> {
  const params = { path: pathOf(site) };
  const now = await data(client.GET("/orgs/{organizationId}/sites/{siteId}/customization", { params }));
  return data(client.PUT("/orgs/{organizationId}/sites/{siteId}/customization", { params, body: change(now) }));
}

/** Sends what differs between two customizations of a site or of one of its spaces. */
function send(site: SiteRef, siteSpaceId: string | undefined, before: Customization, after: Customization): Promise<Customization> {
  const path = pathOf(site);
  if (siteSpaceId === undefined) return changeCustomization(site, (now) => withDifferences(now, differences(before, after)));
  const params = { path: { ...path, siteSpaceId } };
  const body = differences(before, after) as Overrides;
  return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", { params, body }));
}

/** Returns a change that saves a customization, and offers to undo it. */
export function useSave(site: SiteRef, siteSpace: string | undefined) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const { queryKey } = siteSpace === undefined ? customizationQuery(site) : variantCustomizationQuery(site, siteSpace);
  const save = useMutation({
    mutationFn: ({ before, after }: { before: Customization; after: Customization; isUndo?: boolean }) => send(site, siteSpace, before, after),
    onSuccess: (saved, { before, after, isUndo }) => {
      cache.setQueryData(queryKey, saved);
      // The looks of the spaces follow that of the site.
      if (siteSpace === undefined) void cache.invalidateQueries({ queryKey: [...queryKey], predicate: (query) => query.queryKey.length > queryKey.length });
      void cache.invalidateQueries(siteQuery(site));
      if (isUndo) notify(sites.saveUndone);
      else notify(sites.saved, { tone: "success", action: { label: shell.undo, run: () => save.mutate({ before: after, after: before, isUndo: true }) } });
    },
    onError: (error, { isUndo }) => {
      if (isUndo) notify(error.message, { tone: "danger" });
    },
  });
  return save;
}
