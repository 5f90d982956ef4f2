import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Badge, Button, EmptyState, ErrorState, Icon, Loading } from "../ui";
import { NewSite } from "./new-site";
import { type Site, sitesQuery } from "./queries";

/** The sites of an organization. */
export function SiteList({ organization }: { organization: string }) {
  const { shell, sites } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const found = useQuery(sitesQuery(organization));
  const canCreate = useQuery(organizationQuery(organization)).data?.permissions.createContent !== false;
  const newSite = canCreate && (
    <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
      {shell.newSite}
    </Button>
  );
  const isEmpty = found.data?.length === 0;
  return (
    <>
      <header className="page-header">
        <h1>{shell.sites}</h1>
        {!isEmpty && newSite}
      </header>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {isEmpty && (
        <EmptyState title={sites.noSites} action={newSite}>
          {sites.noSitesHint}
        </EmptyState>
      )}
      {found.isSuccess && !isEmpty && (
        <ul className="list">
          {found.data.map((site) => (
            <SiteRow key={site.id} organization={organization} site={site} />
          ))}
        </ul>
      )}
      {isCreating && <NewSite organization={organization} onClose={() => setIsCreating(false)} />}
    </>
  );
}

function SiteRow({ organization, site }: { organization: string; site: Site }) {
  const { sites } = useMessages();
  const { id, title, urls, siteSpaces } = site;
  return (
    <li className="sites-wrap">
      <Icon name="site" />
      <div className="grow">
        <Link href={`/o/${organization}/sites/${id}`} className="sites-name">
          {title}
        </Link>
        {urls.published !== undefined && <div className="muted sites-address">{urls.published}</div>}
      </div>
      <span className="muted sites-wide">{sites.spaceCount(siteSpaces)}</span>
      <VisibilityBadge site={site} />
      <StateBadge site={site} />
    </li>
  );
}

/** Shows who can read a site. */
export function VisibilityBadge({ site }: { site: Site }) {
  const { sites } = useMessages();
  return <Badge>{sites.visibilities[site.visibility]}</Badge>;
}

/** Shows if a site is published. */
export function StateBadge({ site }: { site: Site }) {
  const { sites } = useMessages();
  return <Badge tone={site.published ? "success" : "neutral"}>{site.published ? sites.published : sites.notPublished}</Badge>;
}
