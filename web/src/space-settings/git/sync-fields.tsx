import { useMessages } from "../../i18n";
import { Field } from "../../sites/parts";
import { Select, Switch } from "../../ui";
import { Remark } from "../parts";
import { type FieldsProps, optionsOf } from "./fields";

/** The fields that say what is transferred, and when. */
export function SyncFields({ values, set, errors, isNew }: FieldsProps & { isNew: boolean }) {
  const { git } = useMessages().spaceSettings;
  const { form } = git;
  return (
    <fieldset className="settings-fields">
      <legend>{form.synchronisation}</legend>
      <div className="settings-pair">
        <Select
          label={git.direction}
          options={optionsOf(["both", "import", "export"], git.directions, git.directionHints)}
          value={values.direction}
          onChange={(direction) => set({ direction })}
          description={git.directionHints[values.direction]}
        />
        <Select
          label={form.initial}
          options={optionsOf(["import", "export"], form.initials, form.initialHints)}
          value={values.initialDirection}
          onChange={(initialDirection) => set({ initialDirection })}
          description={form.initialHints[values.initialDirection]}
        />
      </div>
      {isNew && values.initialDirection === "import" && values.direction !== "export" && <Remark tone="warning">{form.initialWarning}</Remark>}
      <div className="settings-pair">
        <Field
          label={form.polling}
          description={form.pollingHint}
          type="number"
          value={Number.isFinite(values.polling) ? String(values.polling) : ""}
          onChange={(text) => set({ polling: text === "" ? NaN : Number(text) })}
          error={errors.at("/pollingInterval")}
        />
        <Select
          label={form.rewritten}
          options={optionsOf(["merge", "pause"], form.rewrittens)}
          value={values.rewritten}
          onChange={(rewritten) => set({ rewritten })}
        />
      </div>
      <Field
        label={form.message}
        description={form.messageHint}
        value={values.message}
        onChange={(message) => set({ message })}
        error={errors.at("/commitMessage")}
      />
      <Switch isSelected={values.isSigned} onChange={(isSigned) => set({ isSigned })}>
        {form.sign}
      </Switch>
    </fieldset>
  );
}
