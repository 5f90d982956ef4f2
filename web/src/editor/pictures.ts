import type { EditorView } from "prosemirror-view";

import type { JsonNode } from "./document";
import { isOnlyPasted, type PastedRef } from "./images";

/** Adds pictures to the space. */
export interface Pictures {
  /** Adds a file. Returns its id, or undefined if it was refused, which the person was told. */
  upload: (file: File) => Promise<string | undefined>;
  /** Adds the picture at an address. Returns its id, or undefined if there is none. */
  fetchPicture: (address: string) => Promise<string | undefined>;
  /** Tells the person how many pictures keep their addresses, and how many are missing. */
  onLeft: (kept: number, missing: number) => void;
}

/** Maximum number of pictures of one pasted text that are added. */
const MOST = 100;

/** Adds pictures of a pasted text to the space, one after the other, and shows the files in their places. */
export async function takeOver(view: EditorView, refs: Set<PastedRef>, rtf: string, { upload, fetchPicture, onLeft }: Pictures): Promise<void> {
  const drawn = [...refs].filter(({ url }) => /^file:/i.test(url));
  const drawings = drawn.length > 0 ? picturesOfRtf(rtf) : [];
  /** Returns the file that the clipboard has for a reference. */
  const fileOf = (ref: PastedRef): File | undefined => {
    const at = drawn.indexOf(ref);
    // The pictures have no names in RTF; without one for each place, none is known.
    if (at >= 0) return drawings.length === drawn.length ? drawings[at] : undefined;
    return fileOfData(ref.url);
  };
  const add = (ref: PastedRef): Promise<string | undefined> => {
    if (!isOnlyPasted(ref)) return fetchPicture(ref.url);
    const file = fileOf(ref);
    return file ? upload(file) : Promise.resolve(undefined);
  };
  const added = new Map<string, string | undefined>();
  let [kept, missing] = [0, 0];
  for (const ref of refs) {
    if (view.isDestroyed) {
      // The page was left: pictures of the clipboard are lost, the others keep their addresses.
      missing += isOnlyPasted(ref) ? 1 : 0;
      continue;
    }
    const isKnown = added.has(ref.url) && !drawn.includes(ref);
    const isLeft = !isKnown && added.size >= MOST;
    const file = isKnown ? added.get(ref.url) : isLeft ? undefined : await add(ref);
    added.set(ref.url, file);
    if (file !== undefined) setPicture(view, ref, { kind: "file", file });
    else if (isOnlyPasted(ref)) {
      missing += 1;
      setPicture(view, ref, undefined);
    } else kept += 1;
  }
  if (kept + missing > 0) onLeft(kept, missing);
}

/** Replaces a reference wherever it is by now. A picture without one is removed from a text; its block stays, and asks for a file. */
function setPicture(view: EditorView, ref: PastedRef, next: { kind: "file"; file: string } | undefined): void {
  const transaction = view.state.tr.setMeta("addToHistory", false);
  const replaced = (json: JsonNode): JsonNode => {
    const { ref: before, ...data } = json.data ?? {};
    if (before === ref) return { ...json, data: { ...(next && { ref: next }), ...data } };
    return json.nodes?.some((node) => node.data?.["ref"] === ref) ? { ...json, nodes: json.nodes.map(replaced) } : json;
  };
  view.state.doc.descendants((node, position) => {
    const json = node.attrs["json"] as JsonNode | undefined;
    const changed = json && replaced(json);
    if (!node.isAtom || changed === json) return;
    const at = transaction.mapping.map(position);
    if (next === undefined && node.isInline) transaction.delete(at, at + node.nodeSize);
    else transaction.setNodeAttribute(at, "json", changed);
  });
  if (transaction.docChanged && !view.isDestroyed) view.dispatch(transaction);
}

function pictureFile(bytes: Uint8Array<ArrayBuffer>, type: string): File {
  const extension = type === "image/svg+xml" ? "svg" : type.slice("image/".length).replace("jpeg", "jpg");
  return new File([bytes], `image.${extension}`, { type });
}

/** Returns the picture in a `data:` address, or undefined if it is something else. */
function fileOfData(address: string): File | undefined {
  const comma = address.indexOf(",");
  const [, type, encoding] = /^data:(image\/[\w.+-]+)(?:;[\w-]+=[\w-]+)*(;base64)?$/i.exec(address.slice(0, comma)) ?? [];
  if (type === undefined) return undefined;
  try {
    const text = decodeURIComponent(address.slice(comma + 1));
    const bytes = encoding ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : new TextEncoder().encode(text);
    return pictureFile(bytes, type.toLowerCase());
  } catch {
    return undefined;
  }
}

function bytesOfHex(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** Returns the PNG and JPEG pictures of a text in RTF, in their order. */
function picturesOfRtf(rtf: string): File[] {
  return rtf.split("\\pict").slice(1).flatMap((part) => {
    const type = /\\(png|jpeg)blip\b/.exec(part.slice(0, 4_096))?.[1];
    // Its name, which is in braces, is in hexadecimal digits as well.
    const [digits = ""] = /[0-9a-f\s]{64,}/i.exec(part) ?? [];
    return type === undefined || digits === "" ? [] : [pictureFile(bytesOfHex(digits.replace(/\s+/g, "")), `image/${type}`)];
  });
}
