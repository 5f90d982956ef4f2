import { useState } from "react";
import { Link } from "wouter";

import { client, data } from "../../api/client";
import { addressOf, type Place } from "../../api/place";
import { spaceQuery } from "../../api/queries";
import { useMessages } from "../../i18n";
import { CopyField } from "../../people/copy-field";
import { useChange } from "../../people/use-change";
import { Part } from "../../sites/parts";
import { Badge, Button, Confirm, notify, Time } from "../../ui";
import { FormError } from "../parts";
import { refusalOf } from "../refusal";
import { Commit } from "./commit";
import { type GitSync, gitKey } from "./queries";

const TONES = { active: "success", failed: "danger", conflict: "warning", paused: "neutral" } as const;

interface Props {
  place: Place;
  sync: GitSync;
  isAdmin: boolean;
  onEdit: () => void;
}

/** The state of a synchronisation with its actions. */
export function Status({ place, sync, isAdmin, onEdit }: Props) {
  const { git } = useMessages().spaceSettings;
  const [isEnding, setIsEnding] = useState(false);
  const { state, pauseReason, error, failures, lastRun, credentials } = sync;
  const isNew = lastRun === undefined && state === "active";
  return (
    <Part
      title={git.back}
      actions={
        isAdmin && (
          <>
            <Button icon="edit" onPress={onEdit}>
              {git.edit}
            </Button>
            <Button kind="danger" onPress={() => setIsEnding(true)}>
              {git.disconnect}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        <div className="row" role="status">
          <Badge tone={isNew ? "neutral" : TONES[state]}>{isNew ? git.isNew : git.states[state]}</Badge>
          <span className="grow settings-text">
            {isNew ? git.firstRun : lastRun?.state === "running" ? git.running : git.stateTexts[state]}{" "}
            {pauseReason !== undefined && git.pauseReasons[pauseReason]}
            {state === "conflict" && <Link href={addressOf(place, "~/changes")}>{git.showChanges}</Link>}
          </span>
        </div>
        {state !== "active" && <FormError>{error && (failures > 1 ? `${error.message} (${git.failures(failures)})` : error.message)}</FormError>}
        <Actions place={place} sync={sync} />
        <Facts sync={sync} />
        {credentials.publicKey !== undefined && (
          <CopyField label={git.publicKey} value={credentials.publicKey} description={git.publicKeyHint} isMultiline />
        )}
        {credentials.hostKeys !== undefined && (
          <CopyField label={git.hostKeys} value={credentials.hostKeys} description={git.hostKeysShown} isMultiline />
        )}
        {sync.signingKey !== undefined && <CopyField label={git.signingKey} value={sync.signingKey} description={git.signingKeyHint} isMultiline />}
      </div>
      {isEnding && <Disconnect space={place.space} onClose={() => setIsEnding(false)} />}
    </Part>
  );
}

function Facts({ sync }: { sync: GitSync }) {
  const { git } = useMessages().spaceSettings;
  return (
    <dl className="settings-facts">
      <dt>{git.repository}</dt>
      <dd>{sync.url}</dd>
      <dt>{git.branch}</dt>
      <dd>{sync.ref.replace(/^refs\/heads\//, "")}</dd>
      <dt>{git.folder}</dt>
      <dd>{sync.projectDirectory || git.topFolder}</dd>
      <dt>{git.direction}</dt>
      <dd>{git.directions[sync.direction]}</dd>
      {sync.commit !== undefined && (
        <>
          <dt>{git.commit}</dt>
          <dd>
            <Commit sync={sync} commit={sync.commit} />
          </dd>
        </>
      )}
      {sync.lastCheckedAt !== undefined && (
        <>
          <dt>{git.checked}</dt>
          <dd>
            <Time at={sync.lastCheckedAt} />
          </dd>
        </>
      )}
      {sync.nextCheckAt !== undefined && (
        <>
          <dt>{git.next}</dt>
          <dd>
            <Time at={sync.nextCheckAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** The buttons that run, pause and resume a synchronisation. */
function Actions({ place: { space: spaceId }, sync }: { place: Place; sync: GitSync }) {
  const { git } = useMessages().spaceSettings;
  const params = { path: { spaceId } };
  const forget = [gitKey(spaceId)];
  const done = (text: string) => () => notify(text, { tone: "success" });
  const run = useChange(() => data(client.POST("/bindery/spaces/{spaceId}/git-sync/run", { params })), { forget, isQuiet: true, onDone: done(git.started) });
  const pause = useChange(() => data(client.POST("/bindery/spaces/{spaceId}/git-sync/pause", { params })), { forget, isQuiet: true, onDone: done(git.paused) });
  const resume = useChange(() => data(client.POST("/bindery/spaces/{spaceId}/git-sync/resume", { params })), {
    forget,
    isQuiet: true,
    onDone: done(git.resumed),
  });
  const isPaused = sync.state === "paused";
  return (
    <>
      <FormError>{refusalOf(run.error ?? pause.error ?? resume.error)?.reason}</FormError>
      <div className="row">
        {!isPaused && (
          <Button kind="primary" icon="git" isPending={run.isPending} isDisabled={sync.lastRun?.state === "running"} onPress={() => run.mutate()}>
            {git.run[sync.direction]}
          </Button>
        )}
        {isPaused ? (
          <Button kind="primary" isPending={resume.isPending} onPress={() => resume.mutate()}>
            {git.resume}
          </Button>
        ) : (
          <Button isPending={pause.isPending} onPress={() => pause.mutate()}>
            {git.pause}
          </Button>
        )}
      </div>
    </>
  );
}

function Disconnect({ space: spaceId, onClose }: { space: string; onClose: () => void }) {
  const { git } = useMessages().spaceSettings;
  const end = useChange(() => data(client.DELETE("/bindery/spaces/{spaceId}/git-sync", { params: { path: { spaceId } } })), {
    forget: [gitKey(spaceId), spaceQuery(spaceId).queryKey],
    isQuiet: true,
    onDone: () => {
      notify(git.disconnected, { tone: "success" });
      onClose();
    },
  });
  return (
    <Confirm title={git.disconnectTitle} action={git.disconnect} isOpen isBusy={end.isPending} onClose={onClose} onConfirm={() => end.mutate()}>
      <FormError>{refusalOf(end.error)?.reason}</FormError>
      <p>{git.disconnectHint}</p>
    </Confirm>
  );
}
