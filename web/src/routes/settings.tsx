import "../people/people.css";
import "../sites/sites.css";
import "../settings/settings.css";

import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Redirect, useLocation } from "wouter";

import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Tabs } from "../ui/tabs";
import { addressOfSettings, isView, useViews, type View } from "../settings/views";
import { Title } from "../shell/title";
import { EmptyState, ErrorState, Loading } from "../ui";

const General = lazy(() => import("../settings/general"));
const MergeRules = lazy(() => import("../settings/merge-rules"));
const Profile = lazy(() => import("../settings/profile"));
const Tokens = lazy(() => import("../settings/tokens"));
const Audit = lazy(() => import("../settings/audit"));
const Jobs = lazy(() => import("../settings/jobs"));

/** The settings of an organization, and those of the person. */
export default function Settings({ organization }: { organization: string }) {
  const { settings, shell } = useMessages();
  const [location] = useLocation();
  const [name, ...rest] = location.slice(`/o/${organization}/settings`.length).split("/").filter(Boolean);
  const found = useQuery(organizationQuery(organization));
  const views = useViews(organization);
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (views === undefined) return <Loading />;
  if (name === undefined) return <Redirect to={addressOfSettings(organization, views[0] ?? "profile")} replace />;
  if (!isView(name) || rest.length > 0) return <EmptyState title={shell.notFound} />;
  return (
    <div className="page">
      <Title>{`${settings.views[name]} · ${settings.title}`}</Title>
      <header className="page-header">
        <h1>{settings.title}</h1>
      </header>
      <Tabs label={settings.title} tabs={views.map((view) => ({ to: addressOfSettings(organization, view), label: settings.views[view] }))} />
      {views.includes(name) ? (
        <Suspense key={name} fallback={<Loading />}>
          {viewOf(name, organization)}
        </Suspense>
      ) : (
        <EmptyState title={settings.notPermitted}>{settings.notPermittedHint}</EmptyState>
      )}
    </div>
  );
}

function viewOf(view: View, organization: string): ReactNode {
  switch (view) {
    case "general":
      return <General organization={organization} />;
    case "merge-rules":
      return <MergeRules organization={organization} />;
    case "profile":
      return <Profile organization={organization} />;
    case "tokens":
      return <Tokens organization={organization} />;
    case "audit":
      return <Audit organization={organization} />;
    case "jobs":
      return <Jobs organization={organization} />;
  }
}
