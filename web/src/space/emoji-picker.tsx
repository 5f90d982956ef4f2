import { useMemo, useState } from "react";
import { Autocomplete, Button as AriaButton, DialogTrigger, Input, Label, ListBox, ListBoxItem, Popover, TextField } from "react-aria-components";

import { useMessages } from "../i18n";
import { Button } from "../ui";
import { emojiCode, emojiText } from "./emoji-text";
import { searchEmoji } from "./emojis";

interface Props {
  /** The code points of the emoji in hexadecimal. */
  emoji: string | undefined;
  isDisabled: boolean;
  /** Called with the code points of the chosen emoji, or with an empty text to remove it. */
  onChange: (emoji: string) => void;
}

/** A button that shows an emoji and opens a window to choose another one by its name. */
export function EmojiPicker({ emoji, isDisabled, onChange }: Props) {
  const { space } = useMessages();
  const [isOpen, setIsOpen] = useState(false);
  const text = emojiText(emoji);
  return (
    <div className="field">
      <Label>{space.emoji}</Label>
      <div className="row">
        <DialogTrigger isOpen={isOpen} onOpenChange={setIsOpen}>
          <AriaButton className="button space-emoji-button" aria-label={`${space.chooseEmoji}${text && `: ${text}`}`} isDisabled={isDisabled}>
            {text || "☺"}
          </AriaButton>
          <Popover className="popover space-emoji-window" placement="bottom start" aria-label={space.chooseEmoji}>
            <EmojiSearch
              onChoose={(chosen) => {
                onChange(chosen);
                setIsOpen(false);
              }}
            />
          </Popover>
        </DialogTrigger>
        {text && !isDisabled && (
          <Button kind="quiet" isSmall onPress={() => onChange("")}>
            {space.removeEmoji}
          </Button>
        )}
      </div>
    </div>
  );
}

function EmojiSearch({ onChoose }: { onChoose: (emoji: string) => void }) {
  const { space } = useMessages();
  const [asked, setAsked] = useState("");
  const found = useMemo(() => searchEmoji(asked).map(([character, name]) => ({ id: emojiCode(character), character, name })), [asked]);
  return (
    <Autocomplete inputValue={asked} onInputChange={setAsked}>
      <TextField aria-label={space.emojiSearch} autoFocus>
        <Input className="input" placeholder={space.emojiSearch} />
      </TextField>
      <div className="space-emoji-scroll" tabIndex={0}>
        <ListBox
          className="space-emoji-list"
          layout="grid"
          aria-label={space.chooseEmoji}
          items={found}
          onAction={(key) => onChoose(String(key))}
          renderEmptyState={() => <p className="muted">{space.emojiNone}</p>}
        >
          {({ character, name }) => (
            <ListBoxItem textValue={name} aria-label={name} className="space-emoji">
              {character}
            </ListBoxItem>
          )}
        </ListBox>
      </div>
    </Autocomplete>
  );
}
