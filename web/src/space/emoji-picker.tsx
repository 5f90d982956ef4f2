import { useMemo } from "react";

import { useMessages } from "../i18n";
import { emojiCode, emojiText } from "./emoji-text";
import { searchEmoji } from "./emojis";
import { SignPicker } from "./sign-picker";

interface Props {
  /** The code points of the emoji in hexadecimal. */
  emoji: string | undefined;
  isDisabled: boolean;
  /** Called with the code points of the chosen emoji, or with an empty text to remove it. */
  onChange: (emoji: string) => void;
}

function useEmojis(asked: string) {
  return useMemo(() => searchEmoji(asked).map(([character, name]) => ({ id: emojiCode(character), name, content: character })), [asked]);
}

/** A button that shows an emoji and opens a window to choose another one by its name. */
export function EmojiPicker({ emoji, isDisabled, onChange }: Props) {
  const { space } = useMessages();
  const text = emojiText(emoji);
  const texts = { label: space.emoji, choose: space.chooseEmoji, search: space.emojiSearch, none: space.emojiNone, remove: space.removeEmoji };
  const present = text ? { id: emoji ?? "", name: text, content: text } : undefined;
  return <SignPicker texts={texts} present={present} placeholder="☺" isDisabled={isDisabled} useFound={useEmojis} onChange={onChange} />;
}
