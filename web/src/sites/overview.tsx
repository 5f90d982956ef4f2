import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { CopyField } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Badge, Button, EmptyState, Icon, Loading, notify } from "../ui";
import { Part } from "./parts";
import { addressOfSite, keyOfSite, pathOf, type Site, siteQuery, type SiteRef, sitesQuery, siteSpacesQuery } from "./queries";
import { StateBadge, VisibilityBadge } from "./site-list";
import { AddSpace } from "./structure/add-space";
import { usePreview } from "./use-preview";

/** The state of a site, its address and the spaces that it shows. */
export function Overview({ site, found, canManage }: { site: SiteRef; found: Site; canManage: boolean }) {
  const { sites } = useMessages();
  const address = found.urls.published;
  return (
    <>
      <div className="panel sites-state">
        <div className="row">
          <StateBadge site={found} />
          <VisibilityBadge site={found} />
          {canManage && <Link href={addressOfSite(site, "audience")}>{sites.changeAudience}</Link>}
        </div>
        <p>{found.published ? sites.publishedHint[found.visibility] : sites.unpublishedHint}</p>
        {address !== undefined && found.published && <CopyField label={sites.address} value={address} />}
      </div>
      <Shown site={site} found={found} canManage={canManage} />
    </>
  );
}

/** The buttons that publish a site, take it offline, and open it. */
export function SiteActions({ site, found, canManage }: { site: SiteRef; found: Site; canManage: boolean }) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const path = pathOf(site);
  const forget = [keyOfSite(site), sitesQuery(site.organization).queryKey];
  const publish = useChange(() => data(client.POST("/orgs/{organizationId}/sites/{siteId}/publish", { params: { path } })), {
    forget,
    onDone: () => {
      void cache.invalidateQueries(siteQuery(site));
      notify(sites.nowPublished, { tone: "success" });
    },
  });
  const unpublish = useChange(() => data(client.POST("/orgs/{organizationId}/sites/{siteId}/unpublish", { params: { path } })), {
    forget,
    onDone: () => notify(sites.nowUnpublished, { action: { label: shell.undo, run: () => publish.mutate() } }),
  });
  const address = found.urls.published;
  return (
    <>
      <PreviewButton site={site} />
      {found.published && address !== undefined && (
        <a className="button" href={address} target="_blank" rel="noreferrer">
          <Icon name="out" />
          {sites.openSite}
        </a>
      )}
      {canManage && found.published && (
        <Button onPress={() => unpublish.mutate()} isPending={unpublish.isPending}>
          {sites.unpublish}
        </Button>
      )}
      {canManage && !found.published && (
        <Button kind="primary" onPress={() => publish.mutate()} isPending={publish.isPending} isDisabled={found.siteSpaces === 0}>
          {sites.publish}
        </Button>
      )}
    </>
  );
}

function PreviewButton({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const { start, state } = usePreview(site);
  useEffect(() => {
    if (state.error) notify(state.error.message, { tone: "danger" });
  }, [state.error]);
  return (
    <Button icon="eye" isPending={state.isPending} onPress={() => start()}>
      {sites.preview}
    </Button>
  );
}

function Shown({ site, found, canManage }: { site: SiteRef; found: Site; canManage: boolean }) {
  const { sites, shell } = useMessages();
  const [isAdding, setIsAdding] = useState(false);
  const spaces = useQuery(siteSpacesQuery(site));
  const add = canManage && (
    <Button icon="plus" {...(found.siteSpaces === 0 && { kind: "primary" })} onPress={() => setIsAdding(true)}>
      {sites.addSpace}
    </Button>
  );
  const isEmpty = spaces.data?.length === 0;
  return (
    <Part title={sites.shows} actions={!isEmpty && add}>
      {spaces.isPending && <Loading />}
      {isEmpty && (
        <EmptyState title={sites.showsNothing} action={add}>
          {sites.showsNothingHint}
        </EmptyState>
      )}
      {spaces.isSuccess && !isEmpty && (
        <ul className="list">
          {spaces.data.map(({ id, title, space, section, urls, default: isDefault, condition }) => (
            <li key={id} className="sites-wrap">
              <Icon name="space" />
              <Link href={`/o/${site.organization}/s/${space.id}`}>{title || shell.untitled}</Link>
              {isDefault && section === undefined && <Badge>{sites.isDefault}</Badge>}
              {condition === "false" && <Badge tone="warning">{sites.draft}</Badge>}
              {found.published && urls.published !== undefined && (
                <a className="muted sites-address sites-end" href={urls.published} target="_blank" rel="noreferrer">
                  {urls.published}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && <AddSpace site={site} onClose={() => setIsAdding(false)} />}
    </Part>
  );
}
