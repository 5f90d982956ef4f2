import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileTrigger } from "react-aria-components";

import { client, data, type Schemas } from "../api/client";
import type { Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Button, notify } from "../ui";
import { reasonOf } from "./writing";

/** The time between two looks at an import, in milliseconds. */
const POLL_INTERVAL = 500;

/** Sends an archive to a space and waits until its pages are there. */
async function importArchive(spaceId: string, file: File): Promise<Schemas["Job"]> {
  const contentType = file.name.endsWith(".zip") ? "application/zip" : "application/gzip";
  let job = await data(
    client.POST("/bindery/spaces/{spaceId}/content/archive", {
      params: { path: { spaceId } },
      body: file as unknown as string,
      bodySerializer: (body) => body,
      headers: { "Content-Type": contentType },
    }),
  );
  while (job.status === "queued" || job.status === "running") {
    await new Promise((done) => setTimeout(done, POLL_INTERVAL));
    job = await data(client.GET("/bindery/jobs/{jobId}", { params: { path: { jobId: job.id } } }));
  }
  if (job.status !== "done") throw new Error(job.error?.message ?? job.status);
  return job;
}

/** Says that a space has no pages, and offers the ways to get some. */
export function EmptySpace({ place, canEdit, onNew }: { place: Place; canEdit: boolean; onNew: () => void }) {
  const { space } = useMessages();
  const cache = useQueryClient();
  const found = useQuery(spaceQuery(place.space));
  const run = useMutation({
    mutationFn: (file: File) => importArchive(place.space, file),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["space", place.space] });
      notify(space.imported, { tone: "success" });
    },
    onError: (error) => notify(space.importFailed(reasonOf(error)), { tone: "danger" }),
  });
  const canImport = place.changeRequest === undefined && found.data?.permissions.edit === true;
  return (
    <div className="space-scroll">
      <div className="empty space-empty">
        <h2>{space.empty}</h2>
        <p>{canEdit ? space.emptyHint : space.emptyReadOnly}</p>
        {canEdit && (
          <div className="row space-empty-ways">
            <Button kind="primary" icon="plus" onPress={onNew} isDisabled={run.isPending}>
              {space.newPage}
            </Button>
            {canImport && (
              <FileTrigger
                acceptedFileTypes={[".zip", ".gz", ".tgz"]}
                onSelect={(files) => {
                  const file = files?.[0];
                  if (file) run.mutate(file);
                }}
              >
                <Button icon="file" isPending={run.isPending}>
                  {space.import}
                </Button>
              </FileTrigger>
            )}
          </div>
        )}
        {canImport && <p className="hint-text">{run.isPending ? space.importing : space.importHint}</p>}
      </div>
    </div>
  );
}
