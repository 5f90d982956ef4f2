import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";

import { addressOf } from "../api/place";
import { collectionsQuery, organizationQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { addressOfSite, sitesQuery } from "../sites/queries";
import { emojiText } from "../space/emoji-text";
import { Button, EmptyState, ErrorState, Icon, Loading, Time } from "../ui";

interface Card {
  id: string;
  to: string;
  title: string;
  mark?: ReactNode;
  detail?: ReactNode;
}

/** The cards of the spaces, the newest first, after those of the collections and what the organization shows first. */
export function Places({ organization, onNew }: { organization: string; onNew: (() => void) | undefined }) {
  const { home } = useMessages();
  const spaces = useQuery(spacesQuery(organization));
  const collections = useQuery(collectionsQuery(organization));
  const cards = useCards(organization);
  const isEmpty = spaces.isSuccess && collections.isSuccess && cards.length === 0;
  return (
    <section className="page-section">
      <h2>{home.spaces}</h2>
      {spaces.isPending && <Loading />}
      {spaces.isError && <ErrorState error={spaces.error} onRetry={() => void spaces.refetch()} />}
      {isEmpty && (
        <EmptyState title={home.noSpaces} action={onNew && <Button onPress={onNew}>{home.newSpace}</Button>}>
          {home.noSpacesHint}
        </EmptyState>
      )}
      <div className="cards">
        {cards.map(({ id, to, title, mark, detail }) => (
          <Link key={id} href={to} className="card">
            <strong className="row">
              {mark}
              {title}
            </strong>
            {detail && <span className="muted">{detail}</span>}
          </Link>
        ))}
      </div>
    </section>
  );
}

function useCards(organization: string): Card[] {
  const { shell } = useMessages();
  const spaces = useQuery(spacesQuery(organization)).data ?? [];
  const collections = useQuery(collectionsQuery(organization)).data ?? [];
  const chosen = useQuery(organizationQuery(organization)).data?.defaultContent;
  const sites = useQuery({ ...sitesQuery(organization), enabled: chosen?.type === "site" }).data ?? [];
  const first = chosen && (chosen.type === "space" ? chosen.space : chosen.type === "collection" ? chosen.collection : chosen.site);
  const cards: Card[] = [
    ...sites
      .filter(({ id }) => id === first)
      .map(({ id, title }) => ({ id, to: addressOfSite({ organization, site: id }), title, mark: <Icon name="site" /> })),
    ...collections.map(({ id, title, description }) => ({
      id,
      to: `/o/${organization}/c/${id}`,
      title: title || shell.untitled,
      mark: <Icon name="collection" />,
      detail: description,
    })),
    ...[...spaces]
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      .map(({ id, title, emoji, updatedAt }) => ({
        id,
        to: addressOf({ organization, space: id }),
        title: title || shell.untitled,
        mark: emoji && <span>{emojiText(emoji)}</span>,
        detail: <Time at={updatedAt} />,
      })),
  ];
  return cards.sort((a, b) => Number(b.id === first) - Number(a.id === first));
}
