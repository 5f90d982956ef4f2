import type { Place } from "../api/place";

/** The view of an address in a space. */
export type View =
  | { kind: "page"; place: Place; page: string | undefined }
  | { kind: "review"; place: Place }
  | { kind: "files"; place: Place }
  | { kind: "history"; place: Place; revision: string | undefined }
  | { kind: "changes"; place: Place }
  | { kind: "settings"; place: Place; path: string };

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the view of an address; `rest` is the part after the space, such as `~/changes/3/page`. */
export function viewOf(organization: string, space: string, rest: string): View | undefined {
  const parts = rest.split("/").filter(Boolean).map(decoded);
  const main: Place = { organization, space };
  if (parts[0] !== "~") return { kind: "page", place: main, page: parts.join("/") || undefined };
  const [, name, number, ...below] = parts;
  switch (name) {
    case "changes": {
      if (number === undefined) return { kind: "changes", place: main };
      const place = { ...main, changeRequest: number };
      if (below[0] !== "~") return { kind: "page", place, page: below.join("/") || undefined };
      if (below[1] === "review") return { kind: "review", place };
      return below[1] === "files" ? { kind: "files", place } : undefined;
    }
    case "history":
      return { kind: "history", place: main, revision: number };
    case "files":
      return { kind: "files", place: main };
    case "settings":
      return { kind: "settings", place: main, path: parts.slice(2).join("/") };
    default:
      return undefined;
  }
}
