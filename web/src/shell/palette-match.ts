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
  const words = ` ${title} ${synonyms}`.toLocaleLowerCase();
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(` ${word}`));
}

/** Returns the sections that have entries; those with a title that begins with the text come first. */
export function ordered(text: string, sections: readonly Section[]): Section[] {
  const lower = text.toLocaleLowerCase();
  const isNamed = ({ entries }: Section) => lower !== "" && entries.some(({ title }) => title.toLocaleLowerCase().startsWith(lower));
  const shown = sections.filter(({ entries }) => entries.length > 0);
  return [...shown.filter(isNamed), ...shown.filter((section) => !isNamed(section))];
}
