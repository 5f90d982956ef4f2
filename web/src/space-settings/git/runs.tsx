import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link } from "wouter";

import { addressOf, type Place } from "../../api/place";
import { useMessages } from "../../i18n";
import { Part } from "../../sites/parts";
import { Badge, Button, ErrorState, Loading, Time } from "../../ui";
import { Commit } from "./commit";
import { branchesQuery, type GitSync, type Run, runsQuery } from "./queries";

const TONES = { running: "info", done: "success", conflict: "warning", failed: "danger" } as const;

/** The runs of a synchronisation. */
export function Runs({ place, sync }: { place: Place; sync: GitSync }) {
  const { spaceSettings, people } = useMessages();
  const { git } = spaceSettings;
  const cache = useQueryClient();
  const found = useInfiniteQuery(runsQuery(place.space));
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const last = sync.lastRun ? `${sync.lastRun.number} ${sync.lastRun.state}` : "";
  const known = useRef(last);
  useEffect(() => {
    if (known.current === last) return;
    known.current = last;
    void cache.invalidateQueries({ queryKey: runsQuery(place.space).queryKey });
    void cache.invalidateQueries({ queryKey: branchesQuery(place.space).queryKey });
    // A run can change the pages and the change requests of the space.
    if (!last.endsWith("running")) void cache.invalidateQueries({ queryKey: ["space", place.space] });
  }, [last, cache, place.space]);
  return (
    <Part title={git.runs}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && items.length === 0 && <p className="muted">{git.noRuns}</p>}
      {items.length > 0 && (
        <ul className="list">
          {items.map((run) => (
            <RunItem key={run.number} place={place} sync={sync} run={run} />
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <div className="people-more">
          <Button kind="quiet" isSmall isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
            {people.more}
          </Button>
        </div>
      )}
    </Part>
  );
}

function RunItem({ place, sync, run }: { place: Place; sync: GitSync; run: Run }) {
  const { git } = useMessages().spaceSettings;
  const { commitBefore, commitAfter, revisionBefore, revisionAfter, message, state } = run;
  return (
    <li className="settings-run">
      <span className="muted">{git.number(run.number)}</span>
      <Badge tone={TONES[state]}>{git.runStates[state]}</Badge>
      <span>{git.triggers[run.trigger]}</span>
      <span className="grow" />
      <span className="muted">
        <Time at={run.startedAt} />
      </span>
      {message !== undefined && <p className={state === "failed" ? "settings-full error-text" : "settings-full muted"}>{message}</p>}
      {(commitAfter !== undefined || revisionAfter !== undefined) && (
        <p className="settings-full hint-text">
          {commitAfter !== undefined && (
            <>
              {git.commits}: {commitBefore !== undefined && commitBefore !== commitAfter && <Commit sync={sync} commit={commitBefore} />}
              {commitBefore !== undefined && commitBefore !== commitAfter && " → "}
              <Commit sync={sync} commit={commitAfter} />{" "}
            </>
          )}
          {revisionAfter !== undefined && revisionAfter !== revisionBefore && (
            <Link href={addressOf(place, `~/history/${revisionAfter}`)}>{git.revision}</Link>
          )}
        </p>
      )}
    </li>
  );
}
