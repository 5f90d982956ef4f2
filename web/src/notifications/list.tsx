import { type KeyboardEvent, useEffect, useRef } from "react";
import { Link } from "wouter";

import { useMessages } from "../i18n";
import { Avatar, IconButton, Time } from "../ui";
import { type Notification, pathOf, sentenceOf } from "./notification";
import { useMark } from "./queries";

/** Steps of the keys that move between notifications. */
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface ListProps {
  organization: string;
  items: readonly Notification[];
  /** True to put the focus on the first notification. */
  hasFocus?: boolean;
  onOpen?: () => void;
}

/** Notifications below each other. A press marks one as read and leads to what it is about; arrows move between them. */
export function NotificationList({ organization, items, hasFocus = false, onOpen }: ListProps) {
  const { notifications } = useMessages();
  const list = useRef<HTMLUListElement>(null);
  const mark = useMark(organization);
  useEffect(() => {
    if (hasFocus) list.current?.querySelector("a")?.focus();
  }, [hasFocus]);
  const move = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    const at = links.findIndex((link) => link.closest("li")?.contains(document.activeElement));
    const next = links[STEPS[event.key]?.(at, links.length) ?? -1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <ul className="notifications" ref={list} onKeyDown={move}>
      {items.map((one) => (
        <Item
          key={one.id}
          organization={organization}
          notification={one}
          markLabel={one.read ? notifications.markUnread : notifications.markRead}
          onMark={(isRead) => mark.mutate({ isRead, ids: [one.id] })}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

interface ItemProps {
  organization: string;
  notification: Notification;
  markLabel: string;
  onMark: (isRead: boolean) => void;
  onOpen: (() => void) | undefined;
}

function Item({ organization, notification, markLabel, onMark, onOpen }: ItemProps) {
  const messages = useMessages();
  const { actor, changeRequest, space, read, excerpt, createdAt } = notification;
  return (
    <li data-unread={!read || undefined}>
      <Avatar name={actor.displayName} url={actor.photoURL} />
      <Link
        href={pathOf(organization, notification)}
        onClick={() => {
          if (!read) onMark(true);
          onOpen?.();
        }}
      >
        {!read && <span className="visually-hidden">{messages.notifications.unread}: </span>}
        <span className="notification-text">
          {sentenceOf(notification, messages).map(({ kind, text }, at) => (kind === "text" ? text : kind === "actor" ? <strong key={at}>{text}</strong> : <em key={at}>{text}</em>))}
        </span>
        {excerpt && <span className="notification-excerpt">{excerpt}</span>}
        <span className="notification-where">
          {changeRequest && `${space.title || messages.shell.untitled} · #${changeRequest.number} · `}
          <Time at={createdAt} />
        </span>
      </Link>
      <IconButton icon={read ? "unread" : "check"} label={markLabel} onPress={() => onMark(!read)} />
    </li>
  );
}
