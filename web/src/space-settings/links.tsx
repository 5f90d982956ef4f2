import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, keyOf, type Place } from "../api/place";
import { useMessages } from "../i18n";
import { More } from "../people/more";
import { nextPage } from "../people/queries";
import { Part } from "../sites/parts";
import { ErrorState, Loading } from "../ui";
import type { SettingsProps } from ".";

/** Number of links that the list reads at once. */
const PAGE_SIZE = 50;

/** The broken links of a space, with the pages that contain them. */
export default function Links({ place }: SettingsProps) {
  const { links } = useMessages().spaceSettings;
  const found = useInfiniteQuery({
    queryKey: [...keyOf(place), "links", "broken"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { status: "broken" as const, limit: PAGE_SIZE, ...(pageParam && { page: pageParam }) };
      return data(client.GET("/spaces/{spaceId}/links", { params: { path: { spaceId: place.space }, query }, signal }));
    },
    getNextPageParam: nextPage,
  });
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const total = found.data?.pages[0]?.stats.total;
  return (
    <Part title={links.title} hint={links.hint}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && items.length === 0 && (
        <p>
          {links.none} {total !== undefined && links.checked(total)}
        </p>
      )}
      {items.length > 0 && (
        <ul className="list">
          {items.map((item, at) => (
            <li key={at} className="settings-run">
              <Target target={item.targetReference} />
              <span className="grow" />
              <Uses place={place} locations={item.locationReferences} />
            </li>
          ))}
        </ul>
      )}
      <More hasNextPage={found.hasNextPage} isFetchingNextPage={found.isFetchingNextPage} fetchNextPage={found.fetchNextPage} />
    </Part>
  );
}

function Target({ target }: { target: Schemas["ContentLocation"] | undefined }) {
  const { links } = useMessages().spaceSettings;
  return target?.kind === "url" ? <code className="settings-code">{target.url}</code> : <span className="muted">{links.missing}</span>;
}

/** The pages and reusable contents that contain a link. */
function Uses({ place, locations }: { place: Place; locations: readonly Schemas["ContentLocation"][] }) {
  const { spaceSettings, shell } = useMessages();
  const pages = new Map(locations.flatMap((one) => (one.kind === "page" ? [[one.page.id, one.page.title] as const] : [])));
  const contents = new Map(locations.flatMap((one) => (one.kind === "reusable-content" ? [[one.reusableContent.id, one.reusableContent.title] as const] : [])));
  return (
    <span className="row">
      <span className="muted">{spaceSettings.links.on}</span>
      {[...pages].map(([id, title]) => (
        <Link key={id} href={addressOf(place, id)} className="people-break">
          {title || shell.untitled}
        </Link>
      ))}
      {[...contents].map(([id, title]) => (
        <span key={id}>{title || shell.untitled}</span>
      ))}
    </span>
  );
}
