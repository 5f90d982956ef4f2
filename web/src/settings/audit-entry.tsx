import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { Link } from "wouter";

import { addressOf } from "../api/place";
import { useLanguage, useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { addressOfSite } from "../sites/queries";
import { Avatar, Button, ErrorState, Icon, Loading, Time } from "../ui";
import { type Fact, factsOf, wordsOf } from "./payload";
import { type AuditEvent, auditEventQuery } from "./queries";
import { type Names, type Part, sentenceOf, type Titles } from "./sentence";

interface Props {
  organization: string;
  event: AuditEvent;
  names: Names;
  onAskTarget: () => void;
}

/** An event of the audit log: a sentence, its time, and its details on request. */
export function AuditEntry({ organization, event, names, onAskTarget }: Props) {
  const messages = useMessages();
  const { settings } = messages;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const parts = sentenceOf(event, messages, names);
  const actor = parts.find(({ kind }) => kind === "actor");
  return (
    <li className="settings-entry">
      <div className="settings-event">
        {event.actor.type === "user" ? <Avatar name={actor?.text ?? ""} /> : <Icon name="settings" />}
        <span className="grow">
          {parts.map((part, at) => (
            <SentencePart key={at} organization={organization} event={event} part={part} />
          ))}
        </span>
        <span className="muted">
          <Time at={event.occurredAt} />
        </span>
        <AriaButton
          className="button button-quiet button-small settings-disclosure"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={settings.detailsOf(parts.map(({ text }) => text).join(""))}
          onPress={() => setIsOpen(!isOpen)}
        >
          <Icon name="chevron" />
          {settings.details}
        </AriaButton>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details organization={organization} event={event} titles={names.titles} onAskTarget={onAskTarget} />}
      </div>
    </li>
  );
}

/** Returns the address of the object of an event; absent if it has none. */
function addressOfTarget(organization: string, { action, target }: AuditEvent, isKnown: boolean): string | undefined {
  const { type, id } = target;
  const base = `/o/${organization}`;
  if (type === "user") return action === "member.removed" ? undefined : `${base}/members/${id}`;
  if (type === "invitation" || type === "invite-link") return `${base}/members/invitations`;
  if (!isKnown) return undefined;
  switch (type) {
    case "space":
      return addressOf({ organization, space: id });
    case "collection":
      return `${base}/c/${id}`;
    case "site":
      return addressOfSite({ organization, site: id });
    case "team":
      return `${base}/members/teams/${id}`;
    default:
      return undefined;
  }
}

function SentencePart({ organization, event, part }: { organization: string; event: AuditEvent; part: Part }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "detail":
      return <strong>{part.text}</strong>;
    case "actor":
      return event.actor.type === "user" ? (
        <Link href={`/o/${organization}/members/${event.actor.id}`} className="settings-actor">
          {part.text}
        </Link>
      ) : (
        <span className="settings-actor">{part.text}</span>
      );
    case "target": {
      const to = addressOfTarget(organization, event, part.isKnown);
      return to === undefined ? <strong>{part.text}</strong> : <Link href={to}>{part.text}</Link>;
    }
  }
}

function Details({ organization, event, titles, onAskTarget }: Omit<Props, "names"> & { titles: Titles }) {
  const { settings } = useMessages();
  const { language } = useLanguage();
  const found = useQuery(auditEventQuery(organization, event.id));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { payload } = found.data;
  const origin = payload["origin"] as { address?: string | null; token?: string | null } | undefined;
  const space = payload["space"];
  const exact = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "medium" }).format(new Date(event.occurredAt));
  return (
    <>
      <dl className="settings-details">
        <dt>{settings.at}</dt>
        <dd>{exact}</dd>
        {origin?.address && (
          <>
            <dt>{settings.origin}</dt>
            <dd>{origin.address}</dd>
          </>
        )}
        {origin?.token && (
          <>
            <dt>{settings.byToken}</dt>
            <dd>{origin.token}</dd>
          </>
        )}
        {factsOf(payload).map((fact, at) => (
          <FactRow key={at} organization={organization} fact={fact} titles={titles} />
        ))}
      </dl>
      <div className="row">
        <Button isSmall onPress={onAskTarget}>
          {settings.onlyThis}
        </Button>
        {event.target.type === "change-request" && typeof space === "string" && (
          <Link className="button button-small" href={addressOf({ organization, space, changeRequest: event.target.id })}>
            {settings.openChangeRequest}
          </Link>
        )}
      </div>
    </>
  );
}

function FactRow({ organization, fact, titles }: { organization: string; fact: Fact; titles: Titles }) {
  const { settings } = useMessages();
  const { field, value } = fact;
  return (
    <>
      <dt>{wordsOf(field)}</dt>
      <dd>
        {"value" in fact ? (
          <Value organization={organization} field={field} value={value} titles={titles} />
        ) : (
          <>
            <span className="visually-hidden">{settings.before}: </span>
            <del>{textOf(fact.before, settings.noValue)}</del>
            {" → "}
            <span className="visually-hidden">{settings.after}: </span>
            <ins>{textOf(fact.after, settings.noValue)}</ins>
          </>
        )}
      </dd>
    </>
  );
}

function Value({ organization, field, value, titles }: { organization: string; field: string; value: unknown; titles: Titles }) {
  const { settings } = useMessages();
  if (field === "user" && typeof value === "string") return <PersonName organization={organization} user={value} />;
  const title = typeof value === "string" ? titles[field]?.get(value) : undefined;
  return title ?? textOf(value, settings.noValue);
}

function PersonName({ organization, user }: { organization: string; user: string }) {
  const found = useQuery({ ...memberQuery(organization, user), staleTime: 300_000 });
  return <Link href={`/o/${organization}/members/${user}`}>{found.data?.user.displayName ?? user}</Link>;
}

/** Returns a value of an event as text. */
function textOf(value: unknown, none: string): string {
  if (value === null || value === undefined || value === "") return none;
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ") || none;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
