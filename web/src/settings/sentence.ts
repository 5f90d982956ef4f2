import type { Messages } from "../i18n";
import type { AuditEvent } from "./queries";

/** The titles of objects by the kinds of objects and their ids. */
export type Titles = Record<string, ReadonlyMap<string, string>>;

/** Names that sentences need beside their events. */
export interface Names {
  /** The present titles of objects. */
  titles: Titles;
  /** The titles that objects had in other events, by their ids. */
  formerTitles: ReadonlyMap<string, string>;
  /** The descriptions of actions by their ids. */
  labels: ReadonlyMap<string, string>;
}

/** A part of a sentence: words, or the name of somebody or something. */
export type Part = { kind: "text" | "actor" | "detail"; text: string } | { kind: "target"; text: string; isKnown: boolean };

/**
 * Returns the sentence of an event in parts. Without a sentence in the catalogue, the description of
 * the action is used. Example: `{actor} created the space {target}` becomes "Ann", " created
 * the space ", "Handbook".
 */
export function sentenceOf(event: AuditEvent, messages: Messages, { titles, formerTitles, labels }: Names): Part[] {
  const { audit, settings } = messages;
  const sentence = audit.sentences[event.action] ?? audit.other(labels.get(event.action) ?? event.action);
  const { type, id, label: given } = event.target;
  const known = titles[type]?.get(id);
  const others: Record<string, string> = audit.targets;
  const target = (sentence.includes("{detail}") ? undefined : given) ?? known ?? formerTitles.get(id) ?? others[type] ?? type;
  const actor = event.actor.type === "system" ? settings.theServer : (event.actor.label ?? event.actor.id);
  return sentence.split(/(\{actor\}|\{target\}|\{detail\})/).flatMap((text): Part[] => {
    switch (text) {
      case "":
        return [];
      case "{actor}":
        return [{ kind: "actor", text: actor }];
      case "{detail}":
        return [{ kind: "detail", text: given ?? "" }];
      case "{target}":
        return [{ kind: "target", text: target, isKnown: known !== undefined }];
      default:
        return [{ kind: "text", text }];
    }
  });
}

/** Returns the titles of objects in events that name them, by the ids of the objects. */
export function titlesIn(events: readonly AuditEvent[], { audit }: Messages): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { action, target } of events) {
    const isDetail = audit.sentences[action]?.includes("{detail}") === true;
    if (target.label !== undefined && !isDetail && !found.has(target.id)) found.set(target.id, target.label);
  }
  return found;
}
