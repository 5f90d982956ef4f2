import { useMutation, useQueryClient } from "@tanstack/react-query";

import { client, data } from "../../api/client";
import type { operations } from "../../api/contract";
import { useMessages } from "../../i18n";
import { notify } from "../../ui";
import { customizationQuery, pathOf, type SiteRef, siteQuery, variantCustomizationQuery } from "../queries";
import { type Customization, differences } from "./model";

type Overrides = operations["overrideSiteSpaceCustomizationById"]["requestBody"]["content"]["application/json"];

/** Sends a customization of a site, or what one of its spaces has in another way. */
function send(site: SiteRef, siteSpaceId: string | undefined, before: Customization, after: Customization): Promise<Customization> {
  const path = pathOf(site);
  if (siteSpaceId === undefined) return data(client.PUT("/orgs/{organizationId}/sites/{siteId}/customization", { params: { path }, body: after }));
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
    onSuccess: (saved, { before, isUndo }) => {
      cache.setQueryData(queryKey, saved);
      // The looks of the spaces follow that of the site.
      if (siteSpace === undefined) void cache.invalidateQueries({ queryKey: [...queryKey], predicate: (query) => query.queryKey.length > queryKey.length });
      void cache.invalidateQueries(siteQuery(site));
      if (isUndo) notify(sites.saveUndone);
      else notify(sites.saved, { tone: "success", action: { label: shell.undo, run: () => save.mutate({ before: saved, after: before, isUndo: true }) } });
    },
    onError: (error, { isUndo }) => {
      if (isUndo) notify(error.message, { tone: "danger" });
    },
  });
  return save;
}
