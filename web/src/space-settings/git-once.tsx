import { type ReactNode, useState } from "react";

import { client } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Field, Form } from "../sites/parts";
import { Button, Checkbox } from "../ui";
import { StartedJob } from "./job-progress";
import { jobsQuery, startedJob } from "./jobs";
import { FormError } from "./parts";
import { fieldErrors } from "./refusal";

/** A branch of a repository and a folder in it. */
interface Source {
  url: string;
  ref: string;
  directory: string;
}

const FIELDS = ["/url", "/ref", "/repoProjectDirectory", "/commitMessage"];

interface FormProps {
  action: string;
  source: Source;
  onChange: (source: Source) => void;
  onSubmit: () => void;
  error: unknown;
  isBusy: boolean;
  /** The id of the job that the form started. */
  job: string | undefined;
  children: ReactNode;
}

/** The form that names a branch of a repository. */
function SourceForm({ action, source, onChange, onSubmit, error, isBusy, job, children }: FormProps) {
  const { content } = useMessages().spaceSettings;
  const errors = fieldErrors(error, FIELDS);
  return (
    <div className="sites-narrow">
      <Form onSubmit={onSubmit}>
        <FormError>{errors.above ?? errors.at("/commitMessage")}</FormError>
        <Field
          label={content.url}
          description={content.urlHint}
          value={source.url}
          onChange={(url) => onChange({ ...source, url })}
          isRequired
          autoComplete="off"
          error={errors.at("/url")}
        />
        <div className="settings-pair">
          <Field label={content.ref} value={source.ref} onChange={(ref) => onChange({ ...source, ref })} isRequired error={errors.at("/ref")} />
          <Field
            label={content.gitDirectory}
            value={source.directory}
            onChange={(directory) => onChange({ ...source, directory })}
            error={errors.at("/repoProjectDirectory")}
          />
        </div>
        {children}
        <div className="row">
          <Button type="submit" isPending={isBusy}>
            {action}
          </Button>
        </div>
      </Form>
      <StartedJob id={job} />
    </div>
  );
}

const EMPTY: Source = { url: "", ref: "main", directory: "" };

/** Returns the fields of a request that name a branch. */
function fieldsOf({ url, ref, directory }: Source) {
  return { url: url.trim(), ref: ref.trim(), ...(directory.trim() && { repoProjectDirectory: directory.trim() }) };
}

/** The form that imports a branch of a repository once. */
export function GitImport({ space: spaceId }: { space: string }) {
  const { content } = useMessages().spaceSettings;
  const [source, setSource] = useState(EMPTY);
  const [force, setForce] = useState(false);
  const start = useChange(
    () => startedJob(client.POST("/spaces/{spaceId}/git/import", { params: { path: { spaceId } }, body: { ...fieldsOf(source), ...(force && { force }) } })),
    { forget: [jobsQuery(spaceId).queryKey], isQuiet: true },
  );
  return (
    <SourceForm
      action={content.start}
      source={source}
      onChange={setSource}
      onSubmit={() => start.mutate()}
      error={start.error}
      isBusy={start.isPending}
      job={start.data}
    >
      <Checkbox isSelected={force} onChange={setForce}>
        {content.forceImport}
      </Checkbox>
    </SourceForm>
  );
}

/** The form that exports the main content to a branch of a repository once. */
export function GitExport({ space: spaceId }: { space: string }) {
  const { content } = useMessages().spaceSettings;
  const [source, setSource] = useState(EMPTY);
  const [commitMessage, setMessage] = useState<string>(content.messageDefault);
  const [force, setForce] = useState(false);
  const start = useChange(
    () => {
      const body = { ...fieldsOf(source), commitMessage, ...(force && { force }) };
      return startedJob(client.POST("/spaces/{spaceId}/git/export", { params: { path: { spaceId } }, body }));
    },
    { forget: [jobsQuery(spaceId).queryKey], isQuiet: true },
  );
  return (
    <SourceForm
      action={content.export}
      source={source}
      onChange={setSource}
      onSubmit={() => start.mutate()}
      error={start.error}
      isBusy={start.isPending}
      job={start.data}
    >
      <Field label={content.message} value={commitMessage} onChange={setMessage} isRequired />
      <div>
        <Checkbox isSelected={force} onChange={setForce}>
          {content.force}
        </Checkbox>
        <p className="hint-text">{content.forceHint}</p>
      </div>
    </SourceForm>
  );
}
