import "../space/space.css";

import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { useLocation } from "wouter";

import { addressOf, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { type View, viewOf } from "../space/address";
import { SpaceBar } from "../space/bar";
import { Files } from "../space/files";
import { History } from "../space/history";
import { ChangeRequestBar, ChangeRequestList, ReviewScreen, SpaceSettings } from "../space/others";
import { PageView } from "../space/page-view";
import { EmptyState, ErrorState, Loading } from "../ui";

/** A space: the bar above it and the view of the present address. */
export default function SpacePage({ organization, space }: { organization: string; space: string }) {
  const messages = useMessages();
  const [location] = useLocation();
  const rest = location.slice(addressOf({ organization, space }).length);
  const view = useMemo(() => viewOf(organization, space, rest), [organization, space, rest]);
  const found = useQuery(spaceQuery(space));
  if (!view) return <EmptyState title={messages.shell.notFound} />;
  if (found.isError && !found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return (
    <div className="space">
      {found.data && <Title key={view.kind}>{found.data.title || messages.shell.untitled}</Title>}
      <SpaceBar place={view.place} />
      {view.place.changeRequest !== undefined && (
        <Suspense fallback={null}>
          <ChangeRequestBar place={view.place} />
        </Suspense>
      )}
      {view.kind === "page" ? (
        <PageView place={view.place} page={view.page} />
      ) : (
        <div className="space-scroll">
          <Suspense fallback={<Loading />}>
            <Room view={view} place={view.place} />
          </Suspense>
        </div>
      )}
    </div>
  );
}

/** A view of a space other than that of its pages. */
function Room({ view, place }: { view: Exclude<View, { kind: "page" }>; place: Place }) {
  switch (view.kind) {
    case "review":
      return <ReviewScreen place={place} />;
    case "files":
      return <Files place={place} />;
    case "history":
      return <History place={place} revision={view.revision} />;
    case "changes":
      return <ChangeRequestList organization={place.organization} space={place.space} />;
    case "settings":
      return <SpaceSettings place={place} path={view.path} />;
  }
}
