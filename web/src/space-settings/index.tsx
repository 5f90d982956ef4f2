import "../people/people.css";
import "../sites/sites.css";
import "./space-settings.css";

import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Redirect } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Tabs } from "../ui/tabs";
import { Title } from "../shell/title";
import { EmptyState, ErrorState, Loading } from "../ui";
import { InTrash } from "./trash";

const General = lazy(() => import("./general"));
const SpaceAccess = lazy(() => import("./space-access"));
const Git = lazy(() => import("./git"));
const Content = lazy(() => import("./content"));
const Links = lazy(() => import("./links"));

const TABS = ["general", "access", "git", "content", "links"] as const;
type Tab = (typeof TABS)[number];

/** Parameters of a view of the settings. */
export interface SettingsProps {
  place: Place;
  found: Schemas["Space"];
  /** The part of the address below that of the view. */
  below: string;
}

function isTab(text: string): text is Tab {
  return (TABS as readonly string[]).includes(text);
}

/** The settings of a space. */
export default function SpaceSettings({ place, path }: { place: Place; path: string }) {
  const { spaceSettings, shell } = useMessages();
  const found = useQuery(spaceQuery(place.space));
  const [tab = "", ...below] = path.split("/");
  const base = addressOf(place, "~/settings");
  if (tab === "") return <Redirect to={`${base}/general`} replace />;
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const space = found.data;
  const name = isTab(tab) ? spaceSettings.tabs[tab] : shell.notFound;
  return (
    <div className="page">
      <Title>{`${name} · ${space.title || shell.untitled}`}</Title>
      <header className="page-header">
        <h1>{spaceSettings.title}</h1>
      </header>
      {space.deletedAt !== undefined ? (
        <InTrash organization={place.organization} space={space} />
      ) : (
        <>
          <Tabs label={spaceSettings.title} tabs={TABS.map((one) => ({ to: `${base}/${one}`, label: spaceSettings.tabs[one] }))} />
          <Suspense key={tab} fallback={<Loading />}>
            {viewOf(tab, { place, found: space, below: below.join("/") }) ?? <EmptyState title={shell.notFound} />}
          </Suspense>
        </>
      )}
    </div>
  );
}

function viewOf(tab: string, props: SettingsProps): ReactNode {
  switch (tab) {
    case "general":
      return <General {...props} />;
    case "access":
      return <SpaceAccess {...props} />;
    case "git":
      return <Git {...props} />;
    case "content":
      return <Content {...props} />;
    case "links":
      return <Links {...props} />;
    default:
      return undefined;
  }
}
