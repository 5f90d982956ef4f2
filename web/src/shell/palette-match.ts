import { searchText } from "../search-text";
import type { IconName } from "../ui";

/** Something that the search everywhere offers. */
export interface Entry {
  id: string;
  title: string;
  detail?: string | undefined;
  icon: IconName;
  /** Other words under which it is found. */
  synonyms?: string | undefined;
  run: () => void;
}

/** Entries of one kind under a heading. */
export interface Section {
  id: string;
  title: string;
  entries: readonly Entry[];
}

/** Returns `true` if every word of a text begins a word of an entry. */
export function isMatch(text: string, { title, synonyms = "" }: Entry): boolean {
  const words = searchText(` ${title} ${synonyms}`);
  return searchText(text)
    .split(/\s+/)
    .every((word) => words.includes(` ${word}`));
}

/** Returns `true` if a text matches an entry, and a word of it begins a word of the title. */
function isNamed(text: string, entry: Entry): boolean {
  const title = searchText(` ${entry.title}`);
  const words = searchText(text).split(/\s+/).filter(Boolean);
  return words.some((word) => title.includes(` ${word}`)) && isMatch(text, entry);
}

/**
 * Returns the sections that have entries. Those of the application that the text names come first,
 * then what was found in the organization, then the others of the application.
 */
export function ordered(text: string, own: readonly Section[], found: readonly Section[]): Section[] {
  const isFirst = ({ entries }: Section) => entries.some((entry) => isNamed(text, entry));
  const all = [...own.filter(isFirst), ...found, ...own.filter((section) => !isFirst(section))];
  return all.filter(({ entries }) => entries.length > 0);
}
