import "../people/people.css";
import "../notifications/notifications.css";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { useMessages } from "../i18n";
import { NotificationList } from "../notifications/list";
import { notificationsQuery, useMark } from "../notifications/queries";
import { unreadQuery } from "../notifications/unread";
import { More } from "../people/more";
import { addressOfSettings } from "../settings/views";
import { Title } from "../shell/title";
import { Button, EmptyState, ErrorState, Loading } from "../ui";
import { Choice } from "../ui/choice";

const FILTERS = ["all", "unread"] as const;
type Filter = (typeof FILTERS)[number];

/** All notifications of the person in an organization. */
export default function Notifications({ organization }: { organization: string }) {
  const { notifications, shell } = useMessages();
  const [filter, setFilter] = useState<Filter>("all");
  const unread = useQuery(unreadQuery(organization)).data ?? 0;
  const found = useInfiniteQuery(notificationsQuery(organization, filter === "unread"));
  const mark = useMark(organization);
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="page notification-page">
      <Title>{shell.notifications}</Title>
      <header className="page-header">
        <h1>{shell.notifications}</h1>
        <Button isDisabled={unread === 0} onPress={() => mark.mutate({ isRead: true })}>
          {notifications.markAll}
        </Button>
      </header>
      <div className="notification-filter">
        <Choice label={notifications.filter} value={filter} options={FILTERS.map((id) => ({ id, label: notifications.filters[id] }))} onChange={setFilter} />
        <Link href={addressOfSettings(organization, "profile")}>{notifications.settings}</Link>
      </div>
      {found.isPending && <Loading />}
      {found.isError && !found.data && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess &&
        items.length === 0 &&
        (filter === "all" ? <EmptyState title={notifications.none}>{notifications.noneHint}</EmptyState> : <EmptyState title={notifications.noneUnread} />)}
      {items.length > 0 && <NotificationList organization={organization} items={items} />}
      <More {...found} />
    </div>
  );
}
