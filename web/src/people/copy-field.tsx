import { Input, Label, TextField } from "react-aria-components";

import { useMessages } from "../i18n";
import { Button, notify } from "../ui";

/** Copies a text to the clipboard and says so. */
export async function copyText(text: string, done: string, failed: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(done, { tone: "success" });
  } catch {
    notify(failed, { tone: "danger" });
  }
}

/** Returns a function that copies a text to the clipboard and says so. */
export function useCopy(): (text: string) => void {
  const { shell, people } = useMessages();
  return (text) => void copyText(text, shell.copied, people.copyFailed);
}

/** A value that can be read and copied, and not changed. */
export function CopyField({ label, value, description, isMultiline }: { label: string; value: string; description?: string; isMultiline?: boolean }) {
  const { people } = useMessages();
  const copy = useCopy();
  return (
    <TextField className="field" value={value} isReadOnly>
      <Label>{label}</Label>
      <div className="people-copy">
        {isMultiline ? <code className="people-code">{value}</code> : <Input className="input" onFocus={(event) => event.target.select()} />}
        <Button icon="copy" aria-label={people.copyNamed(label)} onPress={() => copy(value)}>
          {people.copy}
        </Button>
      </div>
      {description !== undefined && <p className="hint-text">{description}</p>}
    </TextField>
  );
}
