import { useQuery } from "@tanstack/react-query";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Badge, Button, Time } from "../ui";
import { isActive, type Job, jobQuery } from "./jobs";

const TONES = { queued: "neutral", running: "info", done: "success", failed: "danger", cancelled: "warning" } as const;

/** A job in a list: its kind, its state, its progress or its result, and a way to cancel it. */
export function JobItem({ job }: { job: Job }) {
  const { spaceSettings, shell } = useMessages();
  const texts = spaceSettings.jobs;
  const name = texts.kinds[job.kind] ?? job.kind;
  const cancel = useChange(() => data(client.DELETE("/bindery/jobs/{jobId}", { params: { path: { jobId: job.id } } })), {
    forget: [["job", job.id], ["space", job.space ?? "", "jobs"]],
  });
  return (
    <li className="settings-run">
      <strong>{name}</strong>
      <Badge tone={TONES[job.status]}>{texts.states[job.status]}</Badge>
      <span className="grow muted">
        <Time at={job.createdAt} />
      </span>
      {isActive(job) && (
        <Button kind="quiet" isSmall aria-label={texts.cancelOf(name)} isPending={cancel.isPending} onPress={() => cancel.mutate()}>
          {shell.cancel}
        </Button>
      )}
      <div className="settings-full">
        <JobProgress job={job} />
      </div>
    </li>
  );
}

/** A job that was just started, below the form that started it. */
export function StartedJob({ id }: { id: string | undefined }) {
  const job = useQuery({ ...jobQuery(id ?? ""), enabled: id !== undefined });
  return (
    <div role="status" className="settings-started">
      {job.data && (
        <ul className="list">
          <JobItem job={job.data} />
        </ul>
      )}
    </div>
  );
}

/** The progress of a job, or its result. */
export function JobProgress({ job }: { job: Job }) {
  const { spaceSettings } = useMessages();
  const { progress, error } = job;
  const { total } = progress;
  return (
    <>
      {isActive(job) && (
        <div className="settings-progress">
          <progress aria-label={spaceSettings.jobs.progress} {...(total !== undefined && total > 0 && { max: total, value: progress.done })} />
          {total !== undefined && total > 0 && <span className="muted">{spaceSettings.jobs.steps(progress.done, total)}</span>}
        </div>
      )}
      {progress.message !== undefined && <p className="muted">{progress.message}</p>}
      {error !== undefined && <p className="error-text">{error.message}</p>}
    </>
  );
}
