/** Returns the characters of an emoji that is given as code points in hexadecimal. */
export function emojiText(emoji: string | undefined): string {
  if (!emoji) return "";
  const points = emoji.split("-").map((part) => parseInt(part, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff) ? String.fromCodePoint(...points) : "";
}

/** Returns the code points of an emoji in hexadecimal, as the API takes them. */
export function emojiCode(text: string): string {
  return [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16)).join("-");
}
