import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data } from "../api/client";
import { addressOf } from "../api/place";
import { organizationQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { Badge, Button, EmptyState, ErrorState, Loading, notify, Select, Time } from "../ui";
import { isActive, type Job, type JobFilter, type JobKind, jobsQuery, type JobStatus } from "./queries";

const TONES = { queued: "neutral", running: "info", done: "success", failed: "danger", cancelled: "warning" } as const;

/** The background jobs of the organization. */
export default function Jobs({ organization }: { organization: string }) {
  const { settings } = useMessages();
  const [filter, setFilter] = useState<JobFilter>({ status: "", kind: "" });
  const found = useInfiniteQuery(jobsQuery(organization, filter));
  const spaces = useQuery(spacesQuery(organization)).data;
  const jobs = (found.data?.pages ?? []).flatMap(({ items }) => items);
  const count = found.data?.pages[0]?.count;
  const statuses = Object.keys(settings.statuses) as JobStatus[];
  const kinds = Object.keys(settings.jobKinds) as JobKind[];
  return (
    <Part title={settings.views.jobs} hint={settings.jobsHint}>
      <div className="settings-filters" role="search" aria-label={settings.views.jobs}>
        <Select
          label={settings.status}
          options={[{ id: "" as const, label: settings.allStates }, ...statuses.map((id) => ({ id, label: settings.statuses[id] }))]}
          value={filter.status}
          onChange={(status) => setFilter({ ...filter, status })}
        />
        <Select
          label={settings.kind}
          options={[{ id: "" as const, label: settings.allKinds }, ...kinds.map((id) => ({ id, label: settings.jobKinds[id] }))]}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
        />
      </div>
      <p className="hint-text settings-count" role="status">
        {count === undefined ? "" : settings.jobCount(count)}
      </p>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && jobs.length === 0 && <EmptyState title={settings.noJobs}>{settings.noJobsHint}</EmptyState>}
      {jobs.length > 0 && (
        <ul className="list" aria-label={settings.views.jobs}>
          {jobs.map((job) => (
            <JobRow
              key={job.id}
              organization={organization}
              job={job}
              space={spaces?.find(({ id }) => id === job.space)?.title}
              isLast={jobs.find(({ kind, space }) => kind === job.kind && space === job.space) === job}
            />
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <div className="people-more">
          <Button isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
            {settings.loadMore}
          </Button>
        </div>
      )}
    </Part>
  );
}

interface RowProps {
  organization: string;
  job: Job;
  /** The title of the space. */
  space: string | undefined;
  /** True for the newest job of its kind in its space. */
  isLast: boolean;
}

function JobRow({ organization, job, space, isLast }: RowProps) {
  const { settings } = useMessages();
  const mayAct = useQuery(organizationQuery(organization)).data?.permissions.createContent === true;
  const kinds: Record<string, string> = settings.jobKinds;
  const name = kinds[job.kind] ?? job.kind;
  const { done, total, message } = job.progress;
  return (
    <li className="settings-item">
      <div className="grow">
        <p className="row">
          <strong>{name}</strong>
          <Badge tone={TONES[job.status]}>{settings.statuses[job.status]}</Badge>
          {job.space !== undefined && space !== undefined && <Link href={addressOf({ organization, space: job.space })}>{space}</Link>}
        </p>
        {job.error && <p className="settings-error">{job.error.message}</p>}
        {isActive(job) && (total !== undefined || message !== undefined) && (
          <p>
            {message}
            {total !== undefined && total > 0 && (
              <>
                {" "}
                <progress max={total} value={done} aria-label={name} /> {settings.stepsDone(done, total)}
              </>
            )}
          </p>
        )}
        <p className="hint-text">
          {settings.created} <Time at={job.createdAt} />
          {job.finishedAt !== undefined && (
            <>
              {" · "}
              {settings.finished} <Time at={job.finishedAt} />
            </>
          )}
          {job.attempts > 1 && ` · ${settings.attempts(job.attempts)}`}
        </p>
      </div>
      {mayAct && isActive(job) && <CancelButton organization={organization} job={job} name={name} />}
      {mayAct && isLast && <RunAgainButton organization={organization} job={job} name={name} />}
    </li>
  );
}

interface ActionProps {
  organization: string;
  job: Job;
  name: string;
}

function CancelButton({ organization, job, name }: ActionProps) {
  const { settings } = useMessages();
  const cancel = useChange(() => data(client.DELETE("/bindery/jobs/{jobId}", { params: { path: { jobId: job.id } } })), {
    forget: [["org", organization, "jobs"]],
    onDone: () => notify(settings.jobCancelled),
  });
  return (
    <Button isSmall aria-label={settings.cancelJobNamed(name)} isPending={cancel.isPending} onPress={() => cancel.mutate()}>
      {settings.cancelJob}
    </Button>
  );
}

/** Starts a failed synchronisation again. Other jobs begin only with what they were given, such as an archive. */
function RunAgainButton({ organization, job, name }: ActionProps) {
  const { settings } = useMessages();
  const spaceId = job.space;
  const run = useChange((id: string) => data(client.POST("/bindery/spaces/{spaceId}/git-sync/run", { params: { path: { spaceId: id } } })), {
    forget: [["org", organization, "jobs"]],
    onDone: () => notify(settings.startedAgain, { tone: "success" }),
  });
  if (job.kind !== "git-sync" || job.status !== "failed" || spaceId === undefined) return null;
  return (
    <Button isSmall aria-label={settings.runAgainNamed(name)} isPending={run.isPending} onPress={() => run.mutate(spaceId)}>
      {settings.runAgain}
    </Button>
  );
}
