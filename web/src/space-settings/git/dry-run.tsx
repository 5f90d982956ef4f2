import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";

import { client, type Schemas } from "../../api/client";
import { addressOf, type Place } from "../../api/place";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Part } from "../../sites/parts";
import { Badge, Button, Time } from "../../ui";
import { JobProgress } from "../job-progress";
import { isActive, jobQuery, startedJob } from "../jobs";
import { FormError } from "../parts";
import { refusalOf } from "../refusal";
import { DryRunList } from "./dry-run-list";
import { dryRunQuery } from "./queries";

/** The dry run of a synchronisation: its start, its progress and its result. */
export function DryRun({ place }: { place: Place }) {
  const { git } = useMessages().spaceSettings;
  const { space: spaceId } = place;
  const cache = useQueryClient();
  const [jobId, setJobId] = useState("");
  const result = useQuery(dryRunQuery(spaceId));
  const job = useQuery({ ...jobQuery(jobId), enabled: jobId !== "" });
  const start = useChange(() => startedJob(client.POST("/bindery/spaces/{spaceId}/git-sync/dry-run", { params: { path: { spaceId } } })), {
    forget: [],
    isQuiet: true,
    onDone: setJobId,
  });
  const status = job.data?.status;
  useEffect(() => {
    if (status === "done") void cache.invalidateQueries({ queryKey: dryRunQuery(spaceId).queryKey });
  }, [status, cache, spaceId]);
  const isRunning = job.data !== undefined && isActive(job.data);
  const button = (
    <Button isPending={start.isPending || isRunning} onPress={() => start.mutate()}>
      {git.startDryRun}
    </Button>
  );
  return (
    <Part title={git.dryRun} hint={git.dryRunHint} actions={button}>
      <FormError>{refusalOf(start.error)?.reason}</FormError>
      {isRunning && <p role="status">{git.dryRunning}</p>}
      {job.data && status !== "done" && <JobProgress job={job.data} />}
      {!isRunning && result.data && <Result place={place} result={result.data} />}
    </Part>
  );
}

function Result({ place, result }: { place: Place; result: Schemas["GitSyncDryRun"] }) {
  const { git } = useMessages().spaceSettings;
  const { repository, space, conflicts } = result;
  const pageLink = (page: string | undefined, title: string) => (page === undefined ? title : <Link href={addressOf(place, page)}>{title}</Link>);
  return (
    <>
      <p className="muted">
        {git.dryRunAt} <Time at={result.finishedAt} />.
      </p>
      {repository.count + space.count + conflicts.count === 0 && <p>{git.nothing}</p>}
      <div className="settings-lists">
        <DryRunList
          title={git.conflicts(conflicts.count)}
          hint={git.conflictHint}
          list={conflicts}
          render={({ page, title, path, reason }) => (
            <>
              <Badge tone="warning">{git.states.conflict}</Badge>
              <span className="grow people-break settings-text">
                {pageLink(page, title ?? path ?? "")}: {reason}
              </span>
              {title !== undefined && path !== undefined && <span className="settings-code muted">{path}</span>}
            </>
          )}
        />
        <DryRunList
          title={git.inSpace(space.count)}
          list={space}
          render={({ page, title, path, change }) => (
            <>
              <Badge tone={change === "removed" ? "danger" : change === "added" ? "success" : "neutral"}>{git.changes[change]}</Badge>
              <span className="grow people-break">{pageLink(page, title)}</span>
              {path !== undefined && <span className="settings-code muted">{path}</span>}
            </>
          )}
        />
        <DryRunList
          title={git.inRepository(repository.count)}
          list={repository}
          render={({ path, previousPath, change, linesAdded, linesRemoved }) => (
            <>
              <Badge tone={change === "removed" ? "danger" : change === "added" ? "success" : "neutral"}>{git.changes[change]}</Badge>
              <span className="grow settings-code">
                {path} {previousPath !== undefined && <span className="muted">{git.from(previousPath)}</span>}
              </span>
              {linesAdded !== undefined && linesRemoved !== undefined && <span className="settings-code muted">{git.lines(linesAdded, linesRemoved)}</span>}
            </>
          )}
        />
      </div>
    </>
  );
}
