import { useMessages } from "../../i18n";
import { Field } from "../../sites/parts";
import { type Option, Select } from "../../ui";
import { type FieldsProps, optionsOf } from "./fields";
import type { Values } from "./values";

/** The fields of the repository: its address, its branch and its folder. */
export function RepositoryFields({ values, set, errors }: FieldsProps) {
  const { form } = useMessages().spaceSettings.git;
  return (
    <fieldset className="settings-fields">
      <legend>{form.repository}</legend>
      <Field label={form.url} description={form.urlHint} value={values.url} onChange={(url) => set({ url })} isRequired error={errors.at("/url")} autoComplete="off" />
      <div className="settings-pair">
        <Field label={form.ref} value={values.ref} onChange={(ref) => set({ ref })} isRequired error={errors.at("/ref")} />
        <Field
          label={form.directory}
          description={form.directoryHint}
          value={values.directory}
          onChange={(directory) => set({ directory })}
          error={errors.at("/projectDirectory")}
        />
      </div>
    </fieldset>
  );
}

/** The fields of the credentials, which depend on their kind. */
export function CredentialsFields({ values, set, errors, isNew }: FieldsProps & { isNew: boolean }) {
  const { form } = useMessages().spaceSettings.git;
  const kept: Option<Values["credentials"]> = { id: "kept", label: form.credentialsKept, description: form.credentialsKeptHint };
  const options: Option<Values["credentials"]>[] = [...(isNew ? [] : [kept]), ...optionsOf(["token", "basic", "ssh", "none"], form.kinds, form.kindHints)];
  const kindError = errors.at("/credentials/kind");
  return (
    <fieldset className="settings-fields">
      <legend>{form.credentials}</legend>
      <div>
        <Select
          label={form.credentials}
          options={options}
          value={values.credentials}
          onChange={(credentials) => set({ credentials })}
          description={values.credentials === "kept" ? form.credentialsKeptHint : form.kindHints[values.credentials]}
        />
        {kindError !== undefined && (
          <p className="error-text" role="alert">
            {kindError}
          </p>
        )}
      </div>
      {values.credentials === "token" && (
        <Field
          label={form.token}
          description={form.tokenHint}
          type="password"
          autoComplete="off"
          value={values.token}
          onChange={(token) => set({ token })}
          isRequired
          error={errors.at("/credentials/token")}
        />
      )}
      {values.credentials === "basic" && (
        <div className="settings-pair">
          <Field
            label={form.username}
            autoComplete="off"
            value={values.username}
            onChange={(username) => set({ username })}
            isRequired
            error={errors.at("/credentials/username")}
          />
          <Field
            label={form.password}
            type="password"
            autoComplete="new-password"
            value={values.password}
            onChange={(password) => set({ password })}
            isRequired
            error={errors.at("/credentials/password")}
          />
        </div>
      )}
      {values.credentials === "ssh" && <SshFields values={values} set={set} errors={errors} />}
    </fieldset>
  );
}

function SshFields({ values, set, errors }: FieldsProps) {
  const { git } = useMessages().spaceSettings;
  return (
    <div className="stack settings-mono">
      <Field
        label={git.form.privateKey}
        description={git.form.privateKeyHint}
        isMultiline
        rows={3}
        value={values.privateKey}
        onChange={(privateKey) => set({ privateKey })}
        error={errors.at("/credentials/privateKey")}
      />
      <Field
        label={git.hostKeys}
        description={git.form.hostKeysHint}
        isMultiline
        rows={2}
        value={values.hostKeys}
        onChange={(hostKeys) => set({ hostKeys })}
        error={errors.at("/credentials/hostKeys")}
      />
    </div>
  );
}
