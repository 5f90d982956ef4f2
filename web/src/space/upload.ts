import { base64 } from "../api/base64";
import type { Schemas } from "../api/client";
import { addFile, type Place } from "../api/place";
import type { Writing } from "./writing";

/** Maximum size of an uploaded file in bytes. */
export const MAX_SIZE = 25 * 1024 * 1024;

/** Returns a file as the API takes it. Pasted pictures have no names of their own. */
async function sent(file: File): Promise<Schemas["NewFile"]> {
  const extension = /^image\/(\w+)/.exec(file.type)?.[1] ?? "bin";
  return { name: file.name || `image.${extension}`, base64: await base64(file), ...(file.type && { contentType: file.type }) };
}

/** Adds a file to the content of a change request. */
export async function upload(place: Place, file: File, keptPages: string[]): Promise<Schemas["RevisionFile"]> {
  return addFile(place, await sent(file), keptPages);
}

/** Adds files to a content, one after the other. Those that are too large are left out and passed to `onTooLarge`. */
export async function uploadFiles(
  files: File[],
  writing: Writing,
  onTooLarge: (file: File) => void,
): Promise<{ place: Place; files: Schemas["RevisionFile"][] } | undefined> {
  const made: Schemas["RevisionFile"][] = [];
  let at: Place | undefined;
  for (const file of files) {
    if (file.size > MAX_SIZE) {
      onTooLarge(file);
      continue;
    }
    const done = await writing.run({ send: (place, kept) => upload(place, file, kept), ...(at && { at }) });
    if (!done) break;
    at = done.place;
    made.push(done.answer);
  }
  return at && { place: at, files: made };
}
