import { changeContent, type Place } from "../api/place";

/** Maximum size of a file that is put into a page, in bytes. */
export const MAX_FILE = 1_000_000;

function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

/** Adds a file to the content of a change request and returns its id. */
export async function uploaded(file: File, place: Place, openPage: string): Promise<string> {
  const extension = /^image\/([\w]+)/.exec(file.type)?.[1] ?? "bin";
  const sent = { name: file.name || `image.${extension}`, contentType: file.type || "application/octet-stream", base64: await base64(file) };
  const answer = await changeContent(place, [{ operation: "insert_files", files: [sent] }], [openPage]);
  const id = (answer as { insertedFiles?: { id: string }[] }).insertedFiles?.[0]?.id;
  if (id === undefined) throw new Error("no file");
  return id;
}
