import { type ReactNode, useState } from "react";
import { Autocomplete, Button as AriaButton, DialogTrigger, Input, Label, ListBox, ListBoxItem, Popover, TextField } from "react-aria-components";

import { Button } from "../ui";

/** A sign that can be chosen. */
export interface Sign {
  id: string;
  name: string;
  content: ReactNode;
}

interface Texts {
  label: string;
  choose: string;
  search: string;
  none: string;
  remove: string;
}

interface Props {
  texts: Texts;
  /** The present sign; undefined for none. */
  present: Sign | undefined;
  placeholder: ReactNode;
  isDisabled: boolean;
  /** Returns the signs for a text, as a hook. */
  useFound: (asked: string) => readonly Sign[];
  /** Called with the id of the chosen sign, or with an empty text to remove it. */
  onChange: (id: string) => void;
}

/** A button that shows a sign, such as an emoji, and opens a window to choose another one by its name. */
export function SignPicker({ texts, present, placeholder, isDisabled, useFound, onChange }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="field">
      <Label>{texts.label}</Label>
      <div className="row">
        <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
          <AriaButton className="button space-sign-button" aria-label={`${texts.choose}${present ? `: ${present.name}` : ""}`} isDisabled={isDisabled}>
            {present?.content ?? placeholder}
          </AriaButton>
          <Popover className="popover space-sign-window" placement="bottom start" aria-label={texts.choose}>
            <Search
              texts={texts}
              useFound={useFound}
              onChoose={(chosen) => {
                onChange(chosen);
                setIsOpen(false);
              }}
            />
          </Popover>
        </DialogTrigger>
        {present && !isDisabled && (
          <Button kind="quiet" isSmall onPress={() => onChange("")}>
            {texts.remove}
          </Button>
        )}
      </div>
    </div>
  );
}

function Search({ texts, useFound, onChoose }: Pick<Props, "texts" | "useFound"> & { onChoose: (id: string) => void }) {
  const [asked, setAsked] = useState("");
  const found = useFound(asked);
  return (
    <Autocomplete inputValue={asked} onInputChange={setAsked}>
      <TextField aria-label={texts.search} autoFocus>
        <Input className="input" placeholder={texts.search} />
      </TextField>
      <div className="space-sign-scroll" tabIndex={0}>
        <ListBox
          className="space-sign-list"
          layout="grid"
          aria-label={texts.choose}
          items={found}
          onAction={(key) => onChoose(String(key))}
          renderEmptyState={() => <p className="muted">{texts.none}</p>}
        >
          {({ name, content }) => (
            <ListBoxItem textValue={name} aria-label={name} className="space-sign">
              {content}
            </ListBoxItem>
          )}
        </ListBox>
      </div>
    </Autocomplete>
  );
}
