import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { DialogTrigger, Popover } from "react-aria-components";
import { Link, useLocation } from "wouter";

import { useMessages } from "../i18n";
import { unreadQuery } from "../notifications/unread";
import { Icon, IconButton, Loading } from "../ui";

const NotificationPanel = lazy(() => import("../notifications/panel"));

/** Maximum number that is shown at the bell. */
const MAX_SHOWN = 99;
/** Maximum height of the list in pixels. */
const MAX_HEIGHT = 560;

interface Props {
  organization: string;
  /** True to lead to the page of all notifications, where there is no space beside the bell. */
  isLink?: boolean;
}

/** The bell with the number of unread notifications, which shows them. */
export function Bell({ organization, isLink }: Props) {
  const { shell } = useMessages();
  const [location] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const { data: unread = 0, refetch } = useQuery(unreadQuery(organization));
  useEffect(() => setIsOpen(false), [location]);
  useEffect(() => {
    const read = () => void refetch({ cancelRefetch: false });
    addEventListener("focus", read);
    return () => removeEventListener("focus", read);
  }, [refetch]);
  const label = unread === 0 ? shell.notifications : shell.unreadNotifications(unread);
  const mark = unread > 0 && (
    <span className="bell-count" aria-hidden="true">
      {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
    </span>
  );
  if (isLink) {
    return (
      <Link href={`/o/${organization}/notifications`} className="icon-button" aria-label={label}>
        <Icon name="bell" />
        {mark}
      </Link>
    );
  }
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
      <IconButton icon="bell" label={label} mark={mark} />
      <Popover className="popover bell-popover" placement="bottom start" maxHeight={MAX_HEIGHT}>
        <Suspense fallback={<Loading />}>
          <NotificationPanel organization={organization} onClose={() => setIsOpen(false)} />
        </Suspense>
      </Popover>
    </DialogTrigger>
  );
}
