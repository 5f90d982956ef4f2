import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data } from "../api/client";
import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { CopyField } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Title } from "../shell/title";
import { Part } from "../sites/parts";
import { Badge, Button, Confirm, ErrorState, Loading, notify, Select } from "../ui";
import { ChangeSource, useSetSource } from "./change-source";
import { HookPart } from "./hook-part";
import { NewSpaceOfSpec } from "./new-space";
import { Overlays } from "./overlays-part";
import { addressOfSpecs, keyOfSpecs, pathOf, specQuery, type SpecRef, uploadedTextQuery } from "./queries";
import { isRunning, operationMarkdown, type Spec, stateOf, summaryEntry } from "./spec";
import { LastRun, StateBadge } from "./state";
import { Versions } from "./versions";

/** A specification: its state, its readers, the ways to use it, and its versions. */
export function SpecPage({ specRef }: { specRef: SpecRef }) {
  const { shell, openapi } = useMessages();
  const found = useQuery(specQuery(specRef));
  if (found.isPending) return <Loading />;
  if (!found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const spec = found.data;
  const canEdit = spec.permissions.edit;
  return (
    <div className="page">
      <Title>{`${spec.slug} · ${shell.specifications}`}</Title>
      <p className="sites-up">
        <Link href={addressOfSpecs(specRef.organization)}>{shell.specifications}</Link>
      </p>
      <header className="page-header sites-head">
        <h1>{spec.slug}</h1>
        {canEdit && <Actions spec={spec} specRef={specRef} />}
      </header>
      {!canEdit && <p className="sites-note">{openapi.cannotEdit}</p>}
      <State spec={spec} />
      <Findings spec={spec} />
      <Overlays specRef={specRef} canEdit={canEdit} />
      {canEdit && <HookPart specRef={specRef} />}
      <Readers spec={spec} specRef={specRef} />
      <Use spec={spec} specRef={specRef} />
      <Versions spec={spec} specRef={specRef} />
    </div>
  );
}

interface Props {
  spec: Spec;
  specRef: SpecRef;
}

/** The buttons that read a specification again, change its source and delete it. */
function Actions({ spec, specRef }: Props) {
  const { openapi } = useMessages();
  const [opened, setOpened] = useState<"source" | "delete">();
  const cache = useQueryClient();
  const set = useSetSource(specRef);
  const again = useChange(
    async () => {
      const source = spec.sourceURL === undefined ? { text: await cache.fetchQuery(uploadedTextQuery(specRef, spec.lastVersion ?? "")) } : { url: spec.sourceURL };
      return set.mutateAsync(source).catch(() => undefined);
    },
    { forget: [] },
  );
  // The server gives back only texts that it could read.
  const isKnown = spec.sourceURL !== undefined || (spec.lastVersion !== undefined && spec.lastProcessErrorCode === undefined);
  return (
    <>
      {isKnown && (
        <Button icon="history" isPending={again.isPending || isRunning(spec)} onPress={() => again.mutate()}>
          {openapi.readAgain}
        </Button>
      )}
      <Button icon="edit" onPress={() => setOpened("source")}>
        {openapi.changeSource}
      </Button>
      <Button kind="danger" icon="trash" onPress={() => setOpened("delete")}>
        {openapi.delete}
      </Button>
      {opened === "source" && <ChangeSource spec={spec} specRef={specRef} onClose={() => setOpened(undefined)} />}
      {opened === "delete" && <DeleteSpec specRef={specRef} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function DeleteSpec({ specRef, onClose }: { specRef: SpecRef; onClose: () => void }) {
  const { openapi } = useMessages();
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const { organization, slug } = specRef;
  const remove = useChange(() => data(client.DELETE("/orgs/{organizationId}/openapi/{specSlug}", { params: { path: pathOf(specRef) } })), {
    forget: [[...keyOfSpecs(organization), "list"]],
    onDone: () => {
      notify(openapi.deleted(slug));
      navigate(addressOfSpecs(organization));
      cache.removeQueries({ queryKey: specQuery(specRef).queryKey });
    },
  });
  return (
    <Confirm title={openapi.deleteTitle(slug)} action={openapi.delete} isOpen isBusy={remove.isPending} onClose={onClose} onConfirm={() => remove.mutate()}>
      <p>{openapi.deleteWarning}</p>
    </Confirm>
  );
}

function State({ spec }: { spec: Spec }) {
  const { openapi } = useMessages();
  return (
    <div className="panel sites-state">
      <div className="row" role="status">
        <StateBadge spec={spec} />
        <span className="muted">
          <LastRun spec={spec} />
        </span>
      </div>
      <p className="openapi-hint">{openapi.stateHints[stateOf(spec)]}</p>
      <dl className="openapi-facts">
        <dt>{openapi.source}</dt>
        <dd>
          {spec.sourceURL === undefined ? (
            openapi.uploadedText
          ) : (
            <a href={spec.sourceURL} target="_blank" rel="noreferrer">
              {spec.sourceURL}
            </a>
          )}
        </dd>
      </dl>
      {spec.sourceURL !== undefined && <p className="hint-text">{openapi.readEvery}</p>}
    </div>
  );
}

/** The problems that the last run found. */
function Findings({ spec }: { spec: Spec }) {
  const { openapi } = useMessages();
  const found = spec.lastProcessedErrors ?? [];
  if (found.length === 0) return null;
  return (
    <Part title={openapi.findings} hint={spec.lastProcessErrorCode === undefined ? openapi.warningsHint : openapi.errorsHint[spec.lastProcessErrorCode]}>
      <ul className="list openapi-findings">
        {found.map(({ message, code }, at) => (
          <li key={at}>
            <Badge tone={code === "WARNING" ? "warning" : "danger"}>{code === "WARNING" ? openapi.warning : openapi.error}</Badge>
            <span className="grow openapi-message">{message}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Readers({ spec, specRef }: Props) {
  const { openapi } = useMessages();
  const cache = useQueryClient();
  const value = spec.visibility ?? "private";
  const save = useChange(
    (visibility: "private" | "public") => data(client.PATCH("/orgs/{organizationId}/openapi/{specSlug}", { params: { path: pathOf(specRef) }, body: { visibility } })),
    {
      forget: [[...keyOfSpecs(specRef.organization), "list"]],
      onDone: (now) => cache.setQueryData(specQuery(specRef).queryKey, now),
    },
  );
  const options = (["private", "public"] as const).map((id) => ({ id, label: openapi.visibilities[id], description: openapi.visibilityHints[id] }));
  const shown = save.isPending ? save.variables : value;
  return (
    <Part title={openapi.readers}>
      <div className="stack sites-narrow">
        <Select
          label={openapi.visibility}
          options={options}
          value={shown}
          onChange={(next) => next !== value && save.mutate(next)}
          description={openapi.visibilityHints[shown]}
          isDisabled={!spec.permissions.edit || save.isPending}
        />
        {spec.urls.published !== undefined && <CopyField label={openapi.published} value={spec.urls.published} />}
      </div>
    </Part>
  );
}

function Use({ spec, specRef }: Props) {
  const { openapi } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const canCreate = useQuery(organizationQuery(specRef.organization)).data?.permissions.createContent === true;
  const create = canCreate && (
    <Button kind="primary" icon="space" onPress={() => setIsCreating(true)}>
      {openapi.newSpace}
    </Button>
  );
  return (
    <Part title={openapi.use} hint={openapi.useHint} actions={create}>
      <div className="stack">
        <CopyField label={openapi.snippet} value={operationMarkdown(spec)} description={openapi.snippetHint} isMultiline />
        <CopyField label={openapi.entry} value={summaryEntry(spec)} description={openapi.entryHint} isMultiline />
      </div>
      {isCreating && <NewSpaceOfSpec {...specRef} onClose={() => setIsCreating(false)} />}
    </Part>
  );
}
