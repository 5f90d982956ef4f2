import "./notifications.css";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { useMessages } from "../i18n";
import { Button, ErrorState, Loading } from "../ui";
import { NotificationList } from "./list";
import { notificationsQuery, useMark } from "./queries";

/** The newest notifications, as the bell shows them. */
export default function NotificationPanel({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { notifications, shell } = useMessages();
  const found = useInfiniteQuery(notificationsQuery(organization, false));
  const mark = useMark(organization);
  const [first] = found.data?.pages ?? [];
  return (
    <div className="notification-panel">
      <header>
        <h2 className="grow">{shell.notifications}</h2>
        {(first?.unread ?? 0) > 0 && first?.items.some(({ read }) => !read) && (
          <Button kind="quiet" isSmall onPress={() => mark.mutate({ isRead: true })}>
            {notifications.markAll}
          </Button>
        )}
      </header>
      <div className="notification-panel-body">
        {found.isPending && <Loading />}
        {found.isError && !found.data && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
        {first?.items.length === 0 && <p className="muted notification-none">{notifications.none}</p>}
        {first && first.items.length > 0 && <NotificationList organization={organization} items={first.items} hasFocus onOpen={onClose} />}
      </div>
      <footer>
        <Link href={`/o/${organization}/notifications`} onClick={onClose}>
          {notifications.showAll}
        </Link>
      </footer>
    </div>
  );
}
