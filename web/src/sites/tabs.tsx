import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";

import { useMessages } from "../i18n";
import { addressOfSite, type SiteRef } from "./queries";

/** The views of a site, in the order of their links. */
export const VIEWS = ["structure", "look", "audience", "share-links", "addresses", "search", "insights", "people", "settings"] as const;
export type View = (typeof VIEWS)[number];

/** Links to the views of a site. */
export function SiteTabs({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const [location] = useLocation();
  const tabs = [{ to: addressOfSite(site), label: sites.overview }, ...VIEWS.map((view) => ({ to: addressOfSite(site, view), label: sites.views[view] }))];
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (list.current && current) list.current.scrollLeft = current.offsetLeft - list.current.offsetLeft - 32;
  }, [location]);
  return (
    <nav ref={list} className="sites-tabs" aria-label={sites.viewsOfSite}>
      {tabs.map(({ to, label }) => (
        <Link key={to} href={to} className="sites-tab" data-label={label} aria-current={location === to ? "page" : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
