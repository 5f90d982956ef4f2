import type { Place } from "../api/place";
import type { MarkdownDraft } from "./drafts";

/** The text that a person edits, as far as saving it is concerned. */
export interface Surface {
  /** Returns the text as it is now. */
  read: () => string;
  /** Returns the text as it was last saved or read. */
  readonly base: string;
  /** Remembers what was saved. */
  saved: (text: string) => void;
  /** Reads the present text and takes over what others changed. Returns `true` if it has to be sent then. */
  compare: (place: Place, page: string) => Promise<boolean>;
}

export interface SurfaceOptions {
  read: () => string;
  /** Shows a text that contains the changes of others. */
  replace: (text: string, hasConflicts: boolean) => void;
}

/** The surface of a page whose text is not saved with its fields. */
export const noSurface: Surface = { read: () => "", base: "", saved() {}, compare: () => Promise.resolve(false) };

/** Returns the draft of a text. */
export function draftOf({ base, read }: Surface): MarkdownDraft {
  return { base, markdown: read() };
}
