import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation, useSearch } from "wouter";

import { useMessages } from "../i18n";
import { Part } from "../sites/parts";
import { Button, EmptyState, ErrorState, Loading } from "../ui";
import { AuditEntry } from "./audit-entry";
import { AuditFilters } from "./audit-filters";
import { type Asked, askedOf, filterOf, searchOf } from "./audit-search";
import { auditActionsQuery, auditQuery } from "./queries";
import { titlesIn } from "./sentence";
import { useTitles } from "./use-titles";

/** The audit log of the organization. Its filters are part of the address. */
export default function Audit({ organization }: { organization: string }) {
  const messages = useMessages();
  const { settings } = messages;
  const [location, navigate] = useLocation();
  const search = useSearch();
  const asked = useMemo(() => askedOf(search), [search]);
  const filter = useMemo(() => filterOf(asked, new Date()), [asked]);
  const found = useInfiniteQuery(auditQuery(organization, filter));
  const actions = useQuery(auditActionsQuery(organization)).data;
  const titles = useTitles(organization);
  const pages = found.data?.pages;
  const events = useMemo(() => (pages ?? []).flatMap(({ items }) => items), [pages]);
  const names = useMemo(
    () => ({ titles, formerTitles: titlesIn(events, messages), labels: new Map((actions ?? []).map(({ id, label }) => [id, label])) }),
    [titles, events, messages, actions],
  );
  const count = pages?.[0]?.count;
  const ask = (changed: Partial<Asked>) => navigate(location + searchOf({ ...asked, ...changed }), { replace: true });
  const isFiltered = search !== "";
  return (
    <Part title={settings.views.audit} hint={settings.auditHint}>
      <AuditFilters organization={organization} asked={asked} actions={actions ?? []} onChange={ask} />
      <div className="row settings-count">
        <p className="hint-text" role="status">
          {count === undefined ? "" : settings.eventCount(count)}
        </p>
        {isFiltered && (
          <Button kind="quiet" isSmall icon="close" onPress={() => navigate(location, { replace: true })}>
            {settings.clearFilters}
          </Button>
        )}
      </div>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && events.length === 0 && <EmptyState title={settings.noEvents}>{settings.noEventsHint}</EmptyState>}
      {events.length > 0 && (
        <ul className="list" aria-label={settings.views.audit}>
          {events.map((event) => (
            <AuditEntry
              key={event.id}
              organization={organization}
              event={event}
              names={names}
              onAskTarget={() => ask({ target: event.target.id })}
            />
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <div className="people-more">
          <Button isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
            {settings.loadMore}
          </Button>
        </div>
      )}
    </Part>
  );
}
