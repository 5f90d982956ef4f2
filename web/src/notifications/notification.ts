import type { Schemas } from "../api/client";
import { addressOf } from "../api/place";
import type { Messages } from "../i18n";

export type Notification = Schemas["Notification"];

/** A change of notifications to read or unread ones. */
export interface Mark {
  isRead: boolean;
  /** Their ids; absent for all notifications. */
  ids?: readonly string[];
}

function isMarked({ id, read }: Notification, { isRead, ids }: Mark): boolean {
  return read !== isRead && (ids === undefined || ids.includes(id));
}

/** Returns notifications after a change. Those that stay as they are stay the same objects. */
export function marked(items: readonly Notification[], mark: Mark): Notification[] {
  return items.map((one) => (isMarked(one, mark) ? { ...one, read: mark.isRead } : one));
}

/** Returns the number of unread notifications after a change of some of those that are known. */
export function changedBy(mark: Mark, known: readonly Notification[], unread: number): number {
  if (mark.ids === undefined) return mark.isRead ? 0 : unread;
  const changed = new Set(known.filter((one) => isMarked(one, mark)).map(({ id }) => id)).size;
  return Math.max(0, mark.isRead ? unread - changed : unread + changed);
}

/**
 * Returns the path of a notification in the application. Example:
 * the address `https://docs.example.org/app/o/1/s/2?comment=3` becomes `/o/1/s/2?comment=3`.
 */
export function pathOf(organization: string, { urls, space, changeRequest }: Notification): string {
  const path = /\/app(\/o\/[^/].*)$/.exec(urls.app)?.[1];
  if (path !== undefined) return path;
  const place = { organization, space: space.id };
  return changeRequest ? addressOf({ ...place, changeRequest: String(changeRequest.number) }, "~/review") : addressOf(place);
}

/** A part of a sentence: words, the person who acted, or the name of what it is about. */
export interface Part {
  kind: "text" | "actor" | "target";
  text: string;
}

/**
 * Returns the sentence of a notification in parts. Example: `{actor} merged {target}` becomes
 * "Ann", " merged ", "Fix the guide".
 */
export function sentenceOf({ kind, review, actor, space, changeRequest }: Notification, { notifications, review: reviews, shell }: Messages): Part[] {
  const sentence = notifications.sentences[kind === "reviewed" ? (review ?? kind) : kind];
  const target = changeRequest ? changeRequest.subject || reviews.untitled : space.title || shell.untitled;
  return sentence.split(/(\{actor\}|\{target\})/).flatMap((text): Part[] => {
    if (text === "{actor}") return [{ kind: "actor", text: actor.displayName }];
    if (text === "{target}") return [{ kind: "target", text: target }];
    return text === "" ? [] : [{ kind: "text", text }];
  });
}
