import type { Spec } from "./spec";

/** The levels of changes, the most serious one first. */
export const LEVELS = ["breaking", "warning", "info"] as const;
export type Level = (typeof LEVELS)[number];

/** A change between two versions of a specification. */
export interface Change {
  /** The id of the rule that found it, such as `request-parameter-removed`. */
  rule: string;
  level: Level;
  /** The method of the operation, in small letters; absent for a change of the whole description. */
  method?: string;
  /** The path of the operation, or `webhook:` and a name; absent for a change of the whole description. */
  path?: string;
  operationId?: string;
  /** A sentence with names and values between backticks. */
  text: string;
}

/** The changes of a version since the version before it: their numbers, and a page of the list. */
export interface Changes {
  state: "first" | "pending" | "complete" | "failed";
  /** The id of the version before; absent for the first version. */
  from?: string;
  breaking: number;
  warnings: number;
  infos: number;
  /** `true` if there are too many changes, so that the least serious ones are left out. */
  isCut: boolean;
  items: Change[];
  /** The number of changes that the filter selects. */
  count: number;
  next?: { page: string };
}

/** The filter of a list of changes. */
export interface ChangeFilter {
  level: Level | "all";
  text: string;
}

/** Returns the filter in the query of an address. */
export function filterOf(search: string): ChangeFilter {
  const parameters = new URLSearchParams(search);
  const level = LEVELS.find((known) => known === parameters.get("level"));
  return { level: level ?? "all", text: parameters.get("q") ?? "" };
}

/** Returns the query of an address with a filter: empty, or with its question mark. */
export function searchOf({ level, text }: ChangeFilter): string {
  const parameters = new URLSearchParams({ ...(level !== "all" && { level }), ...(text !== "" && { q: text }) });
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** The number of changes of each level. */
export type Counts = Record<Level, number>;

export function countsOf({ breaking, warnings, infos }: Changes): Counts {
  return { breaking, warning: warnings, info: infos };
}

/** The operation, webhook or path that changes belong to; empty for the whole description. */
export interface Place {
  /** The method in capital letters. */
  method?: string;
  path?: string;
  /** The name of a webhook. */
  webhook?: string;
  operationId?: string;
}

/** Changes of the same place. */
export interface Group extends Place {
  /** Distinguishes the group from the others of a list. */
  key: string;
  changes: Change[];
}

const WEBHOOK = "webhook:";

function placeOf({ method, path, operationId }: Change): Place {
  const isWebhook = path?.startsWith(WEBHOOK) === true;
  return {
    ...(method && { method: method.toUpperCase() }),
    ...(path && (isWebhook ? { webhook: path.slice(WEBHOOK.length) } : { path })),
    ...(operationId && { operationId }),
  };
}

/**
 * Groups changes by the operation that they belong to, in the order of the first change of each. A
 * later page adds to the last group, but not to earlier ones: what is being read does not move.
 */
export function groupsOf(pages: readonly (readonly Change[])[]): Group[] {
  const groups: Group[] = [];
  for (const page of pages) {
    const last = groups.at(-1);
    const found = new Map(last === undefined ? [] : [[nameOf(last.changes[0]), last]]);
    for (const change of page) {
      const name = nameOf(change);
      const group = found.get(name);
      if (group !== undefined) group.changes.push(change);
      else {
        const added = { key: `${groups.length}`, ...placeOf(change), changes: [change] };
        groups.push(added);
        found.set(name, added);
      }
    }
  }
  return groups;
}

function nameOf(change: Change | undefined): string {
  return `${change?.method ?? ""} ${change?.path ?? ""}`;
}

/** A part of a sentence: plain text, or a name or value that is set as code. */
export interface Piece {
  text: string;
  isCode: boolean;
}

/** Divides a sentence at its backticks: `` the header `Age` `` is the text `the header ` and the code `Age`. */
export function piecesOf(sentence: string): Piece[] {
  const parts = sentence.split("`");
  // A backtick without a second one is a character like others.
  if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join("`"));
  return parts.map((text, at) => ({ text, isCode: at % 2 === 1 })).filter(({ text }) => text !== "");
}

/** The words of a list of changes in Markdown. */
export interface MarkdownWords {
  title: string;
  /** The lines between the title and the changes. */
  about: readonly string[];
  levels: Record<Level, string>;
  /** The heading of the changes of the whole description. */
  whole: string;
  webhook: string;
}

/** Returns changes as a Markdown document. */
export function markdownOf(groups: readonly Group[], words: MarkdownWords): string {
  const parts = [`# ${escaped(words.title)}`, ...words.about.map(escaped)];
  for (const { changes, method, path, webhook } of groups) {
    const name = path ?? webhook;
    const heading = [...(method ? [method] : []), ...(webhook === undefined ? [] : [words.webhook]), ...(name === undefined ? [] : [code(name)])].join(" ");
    const items = changes.map(({ level, text, rule }) => `- **${escaped(words.levels[level])}:** ${sentence(text)} (${code(rule)})`);
    parts.push(`## ${heading === "" ? escaped(words.whole) : heading}`, items.join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

function sentence(text: string): string {
  return piecesOf(text.replace(/\s+/g, " "))
    .map((piece) => (piece.isCode ? code(piece.text) : escaped(piece.text)))
    .join("");
}

function code(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

/** Returns the address of the feed of changes; undefined if the specification is not published. */
export function feedOf({ id, urls }: Pick<Spec, "id" | "urls">): string | undefined {
  return urls.published === undefined ? undefined : new URL(`/~openapi/${id}/changes.atom`, urls.published).href;
}
