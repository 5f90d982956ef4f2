import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { SearchField, Input } from "react-aria-components";

import { client, data, type Schemas } from "../../api/client";
import { pagesQuery } from "../../api/place";
import { useMessages } from "../../i18n";
import { More } from "../../people/more";
import { useChange } from "../../people/use-change";
import { download } from "../../review/pdf";
import { Button, EmptyState, ErrorState, IconButton, Loading, notify } from "../../ui";
import { pageChoices } from "../page-picker";
import { Part } from "../parts";
import { keyOfSite, pathOf, type SiteRef, siteSpacesQuery, structureQuery } from "../queries";
import { allOf, nodesOf } from "../structure/tree";
import { exportRedirects } from "./redirect-export";
import { RedirectForm } from "./redirect-form";
import { RedirectImport } from "./redirect-import";

export type Redirect = Schemas["SiteRedirect"];

/** Returns the beginning of the keys of the redirects of a site. */
export function keyOfRedirects(site: SiteRef) {
  return [...keyOfSite(site), "redirects"];
}

function useRedirects(site: SiteRef, search: string) {
  return useInfiniteQuery({
    queryKey: [...keyOfRedirects(site), search],
    initialPageParam: "",
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 50, ...(pageParam && { page: pageParam }), ...(search && { search }) };
      return data(client.GET("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path: pathOf(site), query }, signal }));
    },
    getNextPageParam: ({ next }) => next?.page,
  });
}

/** The redirects of old addresses of a site. */
export function Redirects({ site, title }: { site: SiteRef; title: string }) {
  const { sites, shell } = useMessages();
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<Redirect | "new" | "many">();
  const search = useDeferredValue(text.trim());
  const found = useRedirects(site, search);
  const restore = useChange(
    ({ source, destination }: Redirect) =>
      data(client.POST("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path: pathOf(site) }, body: { source, destination } })),
    { forget: [keyOfRedirects(site)] },
  );
  const remove = useChange(
    ({ id }: Redirect) => {
      const params = { path: { ...pathOf(site), siteRedirectId: id } };
      return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}", { params }));
    },
    {
      forget: [keyOfRedirects(site)],
      onDone: (_, redirect) => notify(sites.removed(redirect.source), { action: { label: shell.undo, run: () => restore.mutate(redirect) } }),
    },
  );
  const cache = useQueryClient();
  const save = useChange(async () => download(new Blob([await exportRedirects(site, cache)], { type: "text/csv" }), sites.redirectsFile(title)), { forget: [] });
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const actions = (
    <div className="row">
      <Button onPress={() => setOpened("many")}>{sites.importRedirects}</Button>
      <Button isPending={save.isPending} isDisabled={search === "" && items.length === 0} onPress={() => save.mutate()}>
        {sites.exportRedirects}
      </Button>
      <Button icon="plus" onPress={() => setOpened("new")}>
        {sites.newRedirect}
      </Button>
    </div>
  );
  return (
    <Part title={sites.redirects} hint={sites.redirectsHint} actions={actions}>
      <SearchField aria-label={sites.searchRedirects} value={text} onChange={setText} className="sites-find">
        <Input className="input" placeholder={sites.searchRedirects} />
      </SearchField>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <EmptyState title={search ? shell.noResults : sites.noRedirects} />}
      {items.length > 0 && (
        <ul className="list">
          {items.map((redirect) => (
            <li key={redirect.id} className="sites-wrap">
              <span className="sites-mono grow sites-address">{redirect.source}</span>
              <span className="grow sites-address">
                <Destination site={site} destination={redirect.destination} />
              </span>
              <IconButton icon="edit" label={sites.settingsOf(redirect.source)} onPress={() => setOpened(redirect)} />
              <IconButton icon="trash" label={sites.removeNamed(redirect.source)} onPress={() => remove.mutate(redirect)} />
            </li>
          ))}
        </ul>
      )}
      {found.isSuccess && <More {...found} />}
      {opened === "many" && <RedirectImport site={site} onClose={() => setOpened(undefined)} />}
      {opened !== undefined && opened !== "many" && (
        <RedirectForm site={site} redirect={opened === "new" ? undefined : opened} onClose={() => setOpened(undefined)} />
      )}
    </Part>
  );
}

/** Shows the section, the space or the page to which a redirect leads. */
function Destination({ site, destination }: { site: SiteRef; destination: Redirect["destination"] }) {
  const { sites } = useMessages();
  const structure = useQuery(structureQuery(site));
  const spaces = useQuery(siteSpacesQuery(site));
  const siteSpace = destination.kind === "site-section" ? undefined : spaces.data?.find(({ id }) => id === destination.siteSpaceId);
  const pages = useQuery({ ...pagesQuery({ organization: site.organization, space: siteSpace?.space.id ?? "" }), enabled: siteSpace !== undefined && destination.kind === "site-page" });
  if (!spaces.isSuccess || !structure.isSuccess) return null;
  if (destination.kind === "site-section") {
    const section = allOf(nodesOf(structure.data), "site-section").find(({ id }) => id === destination.siteSectionId);
    return <>{section ? sites.toSection(section.title) : sites.missing}</>;
  }
  if (!siteSpace) return <>{sites.missing}</>;
  if (destination.kind === "site-space") return <>{sites.toSpace(siteSpace.title)}</>;
  if (!pages.isSuccess) return null;
  const page = pageChoices(pages.data).find(({ id }) => id === destination.pageId);
  return <>{page ? sites.toPage(siteSpace.title, page.title) : sites.missing}</>;
}
