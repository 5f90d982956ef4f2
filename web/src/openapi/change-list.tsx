import { useId } from "react";

import { useMessages } from "../i18n";
import { Badge } from "../ui";
import { type Change, type Group, type Place, piecesOf } from "./changes";

const TONES = { breaking: "danger", warning: "warning", info: "neutral" } as const;

/** Changes below the operations that they belong to. */
export function ChangeList({ groups }: { groups: readonly Group[] }) {
  return groups.map((group) => <ChangeGroup key={group.key} group={group} />);
}

function ChangeGroup({ group: { changes, ...place } }: { group: Group }) {
  const id = useId();
  return (
    <section className="openapi-group" aria-labelledby={id}>
      <h2 id={id}>
        <PlaceName {...place} />
      </h2>
      <ul className="list openapi-changes">
        {changes.map((change, at) => (
          <ChangeRow key={at} {...change} />
        ))}
      </ul>
    </section>
  );
}

/** The method and the path of an operation, or the name of a webhook. */
function PlaceName({ method, path, webhook, operationId }: Place) {
  const { changes: texts } = useMessages().openapi;
  const name = path ?? webhook;
  if (method === undefined && name === undefined) return <>{texts.whole}</>;
  return (
    <>
      {method !== undefined && (
        <span className="openapi-verb" data-verb={method}>
          {method}
        </span>
      )}{" "}
      {webhook !== undefined && <span className="openapi-kind">{texts.webhook}</span>} <code>{name}</code> {operationId !== undefined && <span className="openapi-id">{operationId}</span>}
    </>
  );
}

function ChangeRow({ level, text, rule }: Change) {
  const { changes: texts } = useMessages().openapi;
  return (
    <li>
      <Badge tone={TONES[level]}>{texts.levels[level]}</Badge>
      {/* The server writes its sentences in English. */}
      <span className="grow" lang="en">
        {piecesOf(text).map((piece, at) => (piece.isCode ? <code key={at}>{piece.text}</code> : piece.text))}{" "}
        <code className="openapi-rule">{rule}</code>
      </span>
    </li>
  );
}
