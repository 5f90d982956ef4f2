import { changeContent, type Place } from "../api/place";
import { base64 } from "../space/upload";

/** Adds a file to the content of a change request and returns its id. */
export async function uploaded(file: File, place: Place, openPage: string): Promise<string> {
  const extension = /^image\/([\w]+)/.exec(file.type)?.[1] ?? "bin";
  const sent = { name: file.name || `image.${extension}`, contentType: file.type || "application/octet-stream", base64: await base64(file) };
  const answer = await changeContent(place, [{ operation: "insert_files", files: [sent] }], [openPage]);
  const id = (answer as { insertedFiles?: { id: string }[] }).insertedFiles?.[0]?.id;
  if (id === undefined) throw new Error("no file");
  return id;
}
