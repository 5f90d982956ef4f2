import { emojiText } from "../space/emoji-text";
import type { Attribute } from "./difference";

/** The words and names with which values are shown. */
export interface ValueTexts {
  nothing: string;
  yes: string;
  no: string;
  /** A file without a known name. */
  file: string;
  /** Returns the title of a page, or undefined if it is not known. */
  titleOf: (page: string) => string | undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the text of a value of an attribute: "yes" for `true`, the address for `{"kind":"url","url":"…"}`. */
export function valueText(value: unknown, texts: ValueTexts): string {
  if (value === null || value === undefined || value === "") return texts.nothing;
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  if (Array.isArray(value)) return value.map((one) => valueText(one, texts)).join(", ");
  if (!isObject(value)) return String(value);
  const { kind, url, file, page, anchor, ref } = value;
  if (typeof url === "string") return url;
  if (typeof page === "string") return [texts.titleOf(page) ?? page, anchor].filter((one) => typeof one === "string").join(" #");
  if (typeof anchor === "string") return `#${anchor}`;
  if (kind === "file" || file !== undefined) return texts.file;
  if (ref !== undefined) return valueText(ref, texts);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${valueText(one, texts)}`)
    .join(", ");
}

/** Returns an object without the entries that another one has as well. */
function withoutSame(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other) || "kind" in value || "kind" in other) return value;
  const entries = Object.entries(value).filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(other[name]));
  return Object.fromEntries(entries);
}

/** Returns the texts of both values of an attribute; objects without what they share. */
export function valueTexts({ name, before, after }: Attribute, texts: ValueTexts): { before: string; after: string } {
  if (name === "emoji") {
    const text = (value: unknown) => (typeof value === "string" && emojiText(value)) || valueText(value, texts);
    return { before: text(before), after: text(after) };
  }
  const shown = (value: unknown) => valueText(value, texts) || texts.nothing;
  return { before: shown(withoutSame(before, after)), after: shown(withoutSame(after, before)) };
}
