import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Field, Form } from "../sites/parts";
import { Button, Checkbox, Dialog, Select } from "../ui";
import { tokensQuery } from "./queries";
import { refusalOf } from "./refusal";

type Scope = Schemas["TokenScope"];
type Reach = "organization" | "everything" | "spaces";

/** The scopes of a token by the most powerful of them. */
const SCOPES: Record<Scope, Scope[]> = { read: ["read"], write: ["read", "write"], admin: ["read", "write", "admin"] };
/** The offered times in days; 0 for no limit. */
const DAYS = ["7", "30", "90", "365", "0"] as const;
type Days = (typeof DAYS)[number];
const DAY = 86_400_000;

interface Props {
  organization: string;
  onClose: () => void;
  /** Receives the secret of the new token. */
  onCreated: (secret: string) => void;
}

/** The window that creates a personal token. */
export function NewToken({ organization, onClose, onCreated }: Props) {
  const { settings, shell } = useMessages();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("read");
  const [days, setDays] = useState<Days>("90");
  const [reach, setReach] = useState<Reach>("organization");
  const [spaces, setSpaces] = useState<readonly string[]>([]);
  const create = useChange(
    () => {
      const body = {
        name: name.trim(),
        scopes: SCOPES[scope],
        ...(days !== "0" && { expiresAt: new Date(Date.now() + Number(days) * DAY).toISOString() }),
        ...(reach !== "everything" && { organizations: [organization] }),
        ...(reach === "spaces" && { spaces: [...spaces] }),
      };
      return data(client.POST("/bindery/user/tokens", { body }));
    },
    { forget: [tokensQuery.queryKey], isQuiet: true, onDone: ({ token }) => onCreated(token) },
  );
  const refusal = refusalOf(create.error);
  const isNameRefused = refusal?.field === "name";
  const lacksSpace = reach === "spaces" && spaces.length === 0;
  return (
    <Dialog title={settings.newToken} isOpen isBusy={create.isPending} onClose={onClose}>
      <Form onSubmit={() => create.mutate()}>
        <Field
          label={settings.tokenName}
          description={settings.tokenNameHint}
          value={name}
          onChange={setName}
          autoFocus
          isRequired
          maxLength={100}
          error={isNameRefused ? refusal.reason : undefined}
        />
        <Select
          label={settings.scope}
          options={(["read", "write", "admin"] as const).map((id) => ({ id, label: settings.scopes[id] }))}
          value={scope}
          onChange={setScope}
        />
        <Select
          label={settings.expiry}
          options={DAYS.map((id) => ({ id, label: settings.expiries[id] }))}
          value={days}
          onChange={setDays}
          {...(days === "0" && { description: settings.noLimitHint })}
        />
        <Select
          label={settings.reach}
          options={(["organization", "spaces", "everything"] as const).map((id) => ({ id, label: settings.reaches[id] }))}
          value={reach}
          onChange={setReach}
        />
        {reach === "spaces" && <SpaceChoice organization={organization} chosen={spaces} onChange={setSpaces} />}
        {refusal && !isNameRefused && (
          <p className="error-text" role="alert">
            {refusal.reason}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={create.isPending} isDisabled={lacksSpace}>
            {settings.createToken}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface SpaceChoiceProps {
  organization: string;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

function SpaceChoice({ organization, chosen, onChange }: SpaceChoiceProps) {
  const { settings, shell } = useMessages();
  const spaces = useQuery(spacesQuery(organization)).data ?? [];
  return (
    <fieldset className="sites-choices">
      <legend>{settings.spacesOfToken}</legend>
      <div className="sites-choice-list">
        {spaces.map(({ id, title }) => (
          <Checkbox
            key={id}
            isSelected={chosen.includes(id)}
            onChange={(isChosen) => onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))}
          >
            {title || shell.untitled}
          </Checkbox>
        ))}
      </div>
      {chosen.length === 0 && <p className="hint-text">{settings.chooseSpace}</p>}
    </fieldset>
  );
}
