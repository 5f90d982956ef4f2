import "../people/people.css";
import "../sites/sites.css";
import "../space/space.css";

import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Link, useLocation } from "wouter";

import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Overview, SiteActions } from "../sites/overview";
import { type Site, siteQuery, type SiteRef } from "../sites/queries";
import { SiteList } from "../sites/site-list";
import { SiteTabs, type View, VIEWS } from "../sites/views";
import { useCanManage } from "../sites/use-can-manage";
import { EmptyState, ErrorState, Loading } from "../ui";

const Structure = lazy(() => import("../sites/structure"));
const Look = lazy(() => import("../sites/look"));
const Audience = lazy(() => import("../sites/audience"));
const ShareLinks = lazy(() => import("../sites/share-links"));
const Addresses = lazy(() => import("../sites/addresses"));
const SearchWords = lazy(() => import("../sites/search-words"));
const Insights = lazy(() => import("../sites/insights"));
const SitePeople = lazy(() => import("../sites/site-people"));
const SiteSettings = lazy(() => import("../sites/site-settings"));

/** The sites of an organization, and the views of one of them. */
export default function Sites({ organization }: { organization: string }) {
  const { shell } = useMessages();
  const [location] = useLocation();
  const [site, view] = location.slice(`/o/${organization}/sites`.length).split("/").filter(Boolean);
  if (site !== undefined) return <SitePage key={site} site={{ organization, site }} view={view} />;
  return (
    <div className="page">
      <Title>{shell.sites}</Title>
      <SiteList organization={organization} />
    </div>
  );
}

function isView(text: string): text is View {
  return (VIEWS as readonly string[]).includes(text);
}

function SitePage({ site, view }: { site: SiteRef; view: string | undefined }) {
  const { sites, shell } = useMessages();
  const found = useQuery(siteQuery(site));
  const canManage = useCanManage(site);
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const name = view === undefined ? sites.overview : isView(view) ? sites.views[view] : shell.notFound;
  return (
    <div className={view === "look" ? "page page-wide" : "page"}>
      <Title>{`${name} · ${found.data.title}`}</Title>
      <p className="sites-up">
        <Link href={`/o/${site.organization}/sites`}>{shell.sites}</Link>
      </p>
      <header className="page-header sites-head">
        <h1>{found.data.title}</h1>
        <SiteActions site={site} found={found.data} canManage={canManage} />
      </header>
      <SiteTabs site={site} />
      {!canManage && <p className="sites-note">{sites.cannotManage}</p>}
      <Suspense key={view} fallback={<Loading />}>{viewOf(view, site, found.data, canManage) ?? <EmptyState title={shell.notFound} />}</Suspense>
    </div>
  );
}

function viewOf(view: string | undefined, site: SiteRef, found: Site, canManage: boolean): ReactNode {
  if (view === undefined) return <Overview site={site} found={found} canManage={canManage} />;
  if (!isView(view)) return undefined;
  switch (view) {
    case "structure":
      return <Structure site={site} />;
    case "look":
      return <Look site={site} />;
    case "audience":
      return <Audience site={site} found={found} />;
    case "share-links":
      return <ShareLinks site={site} found={found} />;
    case "addresses":
      return <Addresses site={site} found={found} />;
    case "search":
      return <SearchWords site={site} />;
    case "insights":
      return <Insights site={site} />;
    case "people":
      return <SitePeople site={site} />;
    case "settings":
      return <SiteSettings site={site} found={found} />;
  }
}
