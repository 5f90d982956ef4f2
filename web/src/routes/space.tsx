import "../space/space.css";

import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { Redirect, useLocation, useSearch } from "wouter";

import { addressOf, pagesQuery, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { commentQuery } from "../review/comment-queries";
import { Title } from "../shell/title";
import { type View, viewOf } from "../space/address";
import { useAskedComment } from "../space/asked-comment";
import { SpaceBar } from "../space/bar";
import { Files } from "../space/files";
import { History } from "../space/history";
import { ChangeRequestBar, ChangeRequestList, ReviewScreen, SpaceSettings } from "../space/others";
import { PageView } from "../space/page-view";
import { findPage, indexOf } from "../space/tree";
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
        <Pages place={view.place} page={view.page} />
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

/**
 * The pages of a space. The short address of the settings, such as `settings/git`, leads to them
 * unless a page has this path. The address of a comment without its page leads to that page.
 */
function Pages({ place, page }: { place: Place; page: string | undefined }) {
  const isShort = place.changeRequest === undefined && page !== undefined && /^settings(\/|$)/.test(page);
  const pages = useQuery({ ...pagesQuery(place), enabled: isShort });
  const search = useSearch();
  const { comment } = useAskedComment();
  const hasNoPage = page === undefined && comment !== undefined;
  const asked = useQuery({ ...commentQuery(place, comment ?? ""), enabled: hasNoPage });
  if (isShort && pages.data && !findPage(indexOf(pages.data), page)) return <Redirect to={addressOf(place, `~/${page}`)} replace />;
  if (hasNoPage && asked.isPending) return <Loading />;
  const target = hasNoPage ? asked.data?.target : undefined;
  if (target?.page !== undefined && target.gone !== "page") return <Redirect to={`${addressOf(place, target.page.id)}?${search}`} replace />;
  return <PageView place={place} page={page} />;
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
