import { useMessages } from "../../i18n";
import { Field } from "../../sites/parts";
import { Select } from "../../ui";
import { Remark } from "../parts";
import { type FieldsProps, optionsOf } from "./fields";

/** The fields of the relation of branches and change requests. */
export function BranchFields({ values, set, errors }: FieldsProps) {
  const { form } = useMessages().spaceSettings.git;
  const hasBranches = values.export !== "none" || values.branches.trim() !== "";
  const services = [{ id: "auto" as const, label: form.serviceAuto }, ...optionsOf(["github", "gitlab", "gitea"], form.services)];
  const serviceError = errors.at("/changeRequests/service");
  return (
    <fieldset className="settings-fields">
      <legend>{form.changes}</legend>
      <p className="muted">{form.changesHint}</p>
      <div className="settings-pair">
        <Field
          label={form.import}
          description={form.importHint}
          isMultiline
          rows={2}
          value={values.branches}
          onChange={(branches) => set({ branches })}
          error={errors.at("/changeRequests/import")}
        />
        <Select
          label={form.export}
          options={optionsOf(["none", "branch", "pull-request"], form.exports, form.exportHints)}
          value={values.export}
          onChange={(next) => set({ export: next })}
          description={form.exportHints[values.export]}
        />
      </div>
      {hasBranches && (
        <>
          <Field
            label={form.prefix}
            value={values.prefix}
            onChange={(prefix) => set({ prefix })}
            isRequired
            error={errors.at("/changeRequests/branchPrefix")}
          />
          <div className="settings-pair">
            <div>
              <Select label={form.service} options={services} value={values.service} onChange={(service) => set({ service })} description={form.serviceHint} />
              {serviceError !== undefined && (
                <p className="error-text" role="alert">
                  {serviceError}
                </p>
              )}
            </div>
            <Field
              label={form.apiUrl}
              description={form.apiUrlHint}
              value={values.apiUrl}
              onChange={(apiUrl) => set({ apiUrl })}
              error={errors.at("/changeRequests/apiUrl")}
            />
          </div>
          <Remark tone="warning">{form.previewWarning}</Remark>
        </>
      )}
      <p className="hint-text">{form.protectedHint}</p>
    </fieldset>
  );
}
