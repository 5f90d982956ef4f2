import type { Schemas } from "../api/client";
import type { Place } from "../api/place";
import type { Writing } from "./writing";

/** Maximum size of an uploaded file in bytes. */
export const MAX_SIZE = 1_000_000;
/** Maximum number of files in one change. */
const MAX_FILES = 20;

/** Returns the bytes of a file in base64. */
export function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

/** Adds files to a content. Those that are too large are left out and passed to `onTooLarge`. */
export async function uploadFiles(
  files: File[],
  writing: Writing,
  onTooLarge: (file: File) => void,
): Promise<{ place: Place; files: Schemas["RevisionFile"][] } | undefined> {
  const small = files.filter((file) => file.size <= MAX_SIZE);
  for (const file of files) if (file.size > MAX_SIZE) onTooLarge(file);
  const made: Schemas["RevisionFile"][] = [];
  let at: Place | undefined;
  for (let from = 0; from < small.length; from += MAX_FILES) {
    const sent = await Promise.all(
      small.slice(from, from + MAX_FILES).map(async (file) => ({
        name: file.name,
        contentType: file.type || "application/octet-stream",
        base64: await base64(file),
      })),
    );
    const done = await writing.write({ changes: [{ operation: "insert_files", files: sent }], ...(at && { at }) });
    if (!done) return undefined;
    at = done.place;
    if ("insertedFiles" in done.answer) made.push(...(done.answer.insertedFiles ?? []));
  }
  return at && { place: at, files: made };
}
