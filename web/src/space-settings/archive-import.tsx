import { useState } from "react";
import { FileTrigger } from "react-aria-components";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Field, Form } from "../sites/parts";
import { Button } from "../ui";
import { StartedJob } from "./job-progress";
import { jobsQuery } from "./jobs";
import { FormError } from "./parts";
import { fieldErrors } from "./refusal";

/** Returns the media type of an archive by its name. */
function mediaType(name: string): "application/zip" | "application/gzip" | "application/octet-stream" {
  if (/\.zip$/i.test(name)) return "application/zip";
  return /\.t?gz$/i.test(name) ? "application/gzip" : "application/octet-stream";
}

/** The form that imports an archive into a space. */
export function ArchiveImport({ space: spaceId }: { space: string }) {
  const { content } = useMessages().spaceSettings;
  const [file, setFile] = useState<File>();
  const [directory, setDirectory] = useState("");
  const [language, setLanguage] = useState("");
  const start = useChange(
    (archive: File) => {
      const query = { ...(directory.trim() && { directory: directory.trim() }), ...(language.trim() && { language: language.trim() }) };
      return data(
        client.POST("/bindery/spaces/{spaceId}/content/archive", {
          params: { path: { spaceId }, query },
          body: archive as unknown as string,
          bodySerializer: (body) => body,
          headers: { "Content-Type": mediaType(archive.name) },
        }),
      );
    },
    { forget: [jobsQuery(spaceId).queryKey], isQuiet: true, onDone: () => setFile(undefined) },
  );
  const errors = fieldErrors(start.error, ["?directory", "?language"]);
  return (
    <div className="sites-narrow">
      <Form
        onSubmit={() => {
          if (file) start.mutate(file);
        }}
      >
        <FormError>{errors.above}</FormError>
        <div className="row">
          <FileTrigger acceptedFileTypes={[".zip", ".gz", ".tgz"]} onSelect={(files) => setFile(files?.[0])}>
            <Button icon="file">{content.choose}</Button>
          </FileTrigger>
          <span className="grow people-break">{file?.name}</span>
        </div>
        <div className="settings-pair">
          <Field label={content.directory} description={content.directoryHint} value={directory} onChange={setDirectory} error={errors.at("?directory")} />
          <Field label={content.language} description={content.languageHint} value={language} onChange={setLanguage} error={errors.at("?language")} />
        </div>
        <div className="row">
          <Button type="submit" isDisabled={file === undefined} isPending={start.isPending}>
            {content.start}
          </Button>
        </div>
      </Form>
      <StartedJob id={start.data?.id} />
    </div>
  );
}
