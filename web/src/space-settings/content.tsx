import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { keyOf, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Part } from "../sites/parts";
import { ErrorState, Loading } from "../ui";
import type { SettingsProps } from ".";
import { ArchiveImport } from "./archive-import";
import { GitExport, GitImport } from "./git-once";
import { JobItem } from "./job-progress";
import { isActive, jobsQuery } from "./jobs";
import { PdfExport } from "./pdf-export";

/** The ways to bring content into a space and out of it, with the jobs that do it. */
export default function Content({ place, found: space }: SettingsProps) {
  const { spaceSettings } = useMessages();
  const texts = spaceSettings.content;
  const canImport = space.permissions.triggerGitSync;
  return (
    <>
      {canImport && (
        <Part title={texts.archive} hint={texts.archiveHint}>
          <ArchiveImport space={place.space} />
        </Part>
      )}
      <Part title={texts.pdf} hint={texts.pdfHint}>
        <PdfExport space={place.space} title={space.title} />
      </Part>
      {canImport && (
        <>
          <Part title={texts.gitImport} hint={texts.gitImportHint}>
            <GitImport space={place.space} />
          </Part>
          <Part title={texts.gitExport} hint={texts.gitExportHint}>
            <GitExport space={place.space} />
          </Part>
        </>
      )}
      <Part title={texts.jobs}>
        <Jobs place={place} />
      </Part>
    </>
  );
}

/** The last imports and exports of a space. */
function Jobs({ place }: { place: Place }) {
  const { content } = useMessages().spaceSettings;
  const cache = useQueryClient();
  const found = useQuery(jobsQuery(place.space));
  const isRunning = found.data?.some(isActive) ?? false;
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      void cache.invalidateQueries({ queryKey: keyOf(place) });
      void cache.invalidateQueries({ queryKey: spaceQuery(place.space).queryKey });
    }
    wasRunning.current = isRunning;
  }, [isRunning, cache, place]);
  if (found.isPending) return <Loading />;
  if (found.data === undefined) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data.length === 0) return <p className="muted">{content.noJobs}</p>;
  return (
    <ul className="list">
      {found.data.map((job) => (
        <JobItem key={job.id} job={job} />
      ))}
    </ul>
  );
}
