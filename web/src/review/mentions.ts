/** A person who can be mentioned. */
export interface Mentioned {
  id: string;
  name: string;
}

const LINK = /\[([^\]\n]*)\]\(https:\/\/app\.gitbook\.com\/u\/([\w-]+) "mention"\)/g;

/** Returns the name that is being typed after an at sign before the caret. */
export function mentionAt(text: string, caret: number): { start: number; query: string } | undefined {
  const found = /(?:^|[\s(])@([\p{L}\p{N}][\p{L}\p{N} .'-]{0,40}|)$/u.exec(text.slice(0, caret));
  const query = found?.[1];
  return query === undefined ? undefined : { start: caret - query.length - 1, query };
}

/** Returns the Markdown of a text in which people are named as `@Name`. */
export function toMarkdown(text: string, people: readonly Mentioned[]): string {
  const sorted = [...people].sort((a, b) => b.name.length - a.name.length);
  const names = sorted.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (names.length === 0) return text;
  return text.replace(new RegExp(`@(${names.join("|")})(?![\\p{L}\\p{N}])`, "gu"), (whole, name: string) => {
    const person = sorted.find((one) => one.name === name);
    return person ? `[${name.replace(/[[\]]/g, "")}](https://app.gitbook.com/u/${person.id} "mention")` : whole;
  });
}

/** Returns the ids of the people whom a Markdown text mentions. */
export function mentionedIn(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(LINK)].map(([, , id]) => id ?? ""))];
}

/** Returns the text in which people are named as `@Name` for its Markdown. */
export function fromMarkdown(markdown: string, people: readonly Mentioned[]): string {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  return markdown.trimEnd().replace(LINK, (whole, _: string, id: string) => {
    const name = names.get(id);
    return name === undefined ? whole : `@${name}`;
  });
}
