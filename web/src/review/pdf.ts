import { client, data } from "../api/client";
import { ApiError } from "../api/errors";
import type { ChangePlace } from "./actions";
import { pathOf } from "./queries";

/** Number of times that a PDF is asked for while the server makes it; each request waits some seconds. */
const ATTEMPTS = 20;

/** Returns the PDF of the pages of a change request. */
export async function pdfOf(place: ChangePlace): Promise<Blob> {
  const { url } = await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/pdf", { params: { path: pathOf(place) } }));
  return readPdf(place.space, url);
}

/** Returns the PDF at the address that the server gave for it, when it is made. */
export async function readPdf(spaceId: string, url: string): Promise<Blob> {
  const pdfId = new URL(url).pathname.split("/").at(-1) ?? "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answer = await client.GET("/bindery/spaces/{spaceId}/pdfs/{pdfId}", { params: { path: { spaceId, pdfId } }, parseAs: "blob" });
    const file: unknown = await data(Promise.resolve(answer));
    if (answer.response.status === 200 && file instanceof Blob) return file;
  }
  throw new ApiError(503, "", "The PDF is not ready yet");
}

/** Offers a file to the person under a name. */
export function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
