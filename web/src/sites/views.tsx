import { useMessages } from "../i18n";
import { Tabs } from "../ui/tabs";
import { addressOfSite, type SiteRef } from "./queries";

/** The views of a site, in the order of their links. */
export const VIEWS = ["structure", "look", "audience", "share-links", "addresses", "search", "insights", "people", "settings"] as const;
export type View = (typeof VIEWS)[number];

/** Links to the views of a site. */
export function SiteTabs({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const overview = { to: addressOfSite(site), label: sites.overview, isExact: true };
  return <Tabs label={sites.viewsOfSite} tabs={[overview, ...VIEWS.map((view) => ({ to: addressOfSite(site, view), label: sites.views[view] }))]} />;
}
