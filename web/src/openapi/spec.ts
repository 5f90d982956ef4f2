import type { Schemas } from "../api/client";

export type Spec = Schemas["OpenAPISpec"];
export type Source = Schemas["OpenAPISpecSource"];

/** Maximum length of a slug in characters. */
export const MAX_SLUG = 100;
/** Maximum size of an uploaded text in bytes. */
export const MAX_SIZE = 64 * 1024 * 1024;

/** Names of files, folders and hosts that say nothing about an API. */
const COMMON = /^(api|apis|apidocs?|api-docs?|raw|main|master|head|refs|heads|latest|public|static|assets|docs?|schemas?|specs?|specifications?|descriptions?|open-?api|swagger|index|www|dev|developers?|rest|json|yaml|v?\d+([.-]\d+)*)$/i;

/** Returns a text as a slug: small letters and digits with single hyphens between them. */
function asSlug(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, MAX_SLUG).replace(/-$/, "");
}

function withoutExtension(name: string): string {
  return name.replace(/(\.(json|ya?ml|txt))+$/i, "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns a slug for the description at an address: the last part of the path that says something
 * about the API, else the name of the host. Empty if the text is no address.
 */
export function slugOfAddress(address: string): string {
  if (!/^https?:/i.test(address.trim()) || !URL.canParse(address.trim())) return "";
  const { pathname, hostname } = new URL(address.trim());
  const parts = pathname.split("/").filter(Boolean).map((part) => withoutExtension(decoded(part)));
  const labels = /^[\d.]+$|:/.test(hostname) ? [] : hostname.split(".").slice(0, -1);
  const found = parts.findLast((part) => !COMMON.test(part)) ?? labels.find((label) => !COMMON.test(label)) ?? parts.at(-1) ?? labels[0];
  return asSlug(found ?? "");
}

/** Returns a slug for a description in a file: that of the file, or of the title in the text if the name says nothing. */
export function slugOfFile(name: string, text: string): string {
  const own = withoutExtension(name);
  return (COMMON.test(own) ? slugOfText(text) : "") || asSlug(own);
}

/** Returns a slug for the title that a description states. */
export function slugOfText(text: string): string {
  return asSlug(statedTitle(text));
}

/** Returns the title that a description or an overlay states; empty if there is none. */
export function titleOfText(text: string): string {
  const title = statedTitle(text).trim();
  return /^(["']).*\1$/s.test(title) ? title.slice(1, -1) : title;
}

/** Returns the title as it is written, with its quotation marks, without a comment. */
function statedTitle(text: string): string {
  const title = /(?:^|[{,\n])[ \t]*(?:"title"|title)[ \t]*:[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\n,}]*)/.exec(text.slice(0, 20_000))?.[1] ?? "";
  return /^["']/.test(title) ? title : title.replace(/\s#.*$/, "");
}

/** Returns `true` if a text can be the slug of a specification. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/** Returns `true` while the source waits to be read, or is read. */
export function isRunning(spec: Spec): boolean {
  return spec.processingState !== "complete";
}

/** The states of a specification, as they are shown. */
export type State = "pending" | "progress" | "read" | "findings" | "failed" | "kept";

/** Returns the state of a specification; `kept` if the last run failed and an earlier version is in use. */
export function stateOf(spec: Spec): State {
  if (spec.processingState !== "complete") return spec.processingState;
  if (spec.lastProcessErrorCode !== undefined) return spec.lastVersion === undefined ? "failed" : "kept";
  return (spec.lastProcessedErrors?.length ?? 0) > 0 ? "findings" : "read";
}

/** Returns the host of the source; undefined if the text was uploaded. */
export function hostOf({ sourceURL }: Spec): string | undefined {
  if (sourceURL === undefined) return undefined;
  return URL.canParse(sourceURL) ? new URL(sourceURL).host : sourceURL;
}

/** Returns the Markdown that shows an operation on a page. */
export function operationMarkdown({ slug, sourceURL }: Spec): string {
  const label = sourceURL === undefined ? `OpenAPI ${slug}` : `[OpenAPI ${slug}](${sourceURL})`;
  return `{% openapi-operation spec="${slug}" path="/path" method="get" %}\n${label}\n{% endopenapi-operation %}`;
}

/** Returns the entry of SUMMARY.md that the pages of a specification replace. */
export function summaryEntry({ slug }: Spec): string {
  return [
    "* ```yaml",
    "  type: builtin:openapi",
    "  props:",
    "    overview: true",
    "    models: true",
    "  dependencies:",
    "    spec:",
    "      ref:",
    "        kind: openapi",
    `        spec: ${slug}`,
    "  ```",
  ].join("\n");
}
