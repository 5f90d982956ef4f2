import type { JsonNode } from "./document";

/** Returns the JSON of a picture with a reference to a file or an address. */
export function imagesOf(ref: object | undefined, alt = ""): JsonNode {
  const image = { object: "block", type: "image", isVoid: true, data: { ...(ref && { ref }), ...(alt && { alt }) }, fragments: [] };
  return { object: "block", type: "images", isVoid: false, data: {}, nodes: [image] };
}

/** A reference to the address of a picture. */
export interface PastedRef {
  kind: "url";
  url: string;
}

/** The references of pictures in pasted text, which are not files of the space yet. */
const pasted = new WeakSet<object>();

/** Returns a reference to a picture in pasted text. */
export function pastedRef(url: string): PastedRef {
  const ref: PastedRef = { kind: "url", url };
  pasted.add(ref);
  return ref;
}

/** Returns the JSON of a picture that pasted HTML shows: as a block, or within a text. */
export function pastedImage(element: HTMLElement, isInline = false): JsonNode {
  const ref = pastedRef(element.getAttribute("src") ?? "");
  const alt = element.getAttribute("alt") ?? "";
  if (isInline) return { object: "inline", type: "inline-image", isVoid: true, data: { ref, ...(alt && { alt }) } };
  const block = imagesOf(ref, alt);
  const caption = element.dataset["caption"] ?? "";
  return caption === "" ? block : { ...block, nodes: (block.nodes ?? []).map((image) => withCaption(image, caption)) };
}

/** Returns whether a reference is that of a picture in pasted HTML. */
export function isPasted(ref: unknown): ref is PastedRef {
  return typeof ref === "object" && ref !== null && pasted.has(ref);
}

/** Returns whether a reference leads to a picture that only the clipboard has. It is not saved before it is a file of the space. */
export function isOnlyPasted(ref: unknown): boolean {
  return isPasted(ref) && !/^https?:/i.test(ref.url);
}

/** Returns the text of the caption of a block. */
export function captionOf(block: JsonNode): string {
  const caption = block.fragments?.find(({ fragment }) => fragment === "caption");
  const leaves = (node: JsonNode): string => (node.leaves ?? []).map(({ text }) => text).join("") + (node.nodes ?? []).map(leaves).join("");
  return caption ? leaves(caption).trim() : "";
}

/** Returns a block with another caption. One that is not changed keeps its marks. */
export function withCaption(block: JsonNode, text: string): JsonNode {
  if (text === captionOf(block)) return block;
  const others = (block.fragments ?? []).filter(({ fragment }) => fragment !== "caption");
  const leaf = { object: "leaf" as const, text, marks: [] };
  const line = { object: "block", type: "paragraph", isVoid: false, data: {}, nodes: [{ object: "text", leaves: [leaf] }] };
  return { ...block, fragments: text ? [...others, { object: "fragment", fragment: "caption", nodes: [line] }] : others };
}

/** Returns whether a block lacks what it is about, such as the address of a picture. Such blocks are not saved. */
export function isIncomplete({ type, data = {}, nodes = [] }: JsonNode): boolean {
  if (type === "images") return nodes.every((image) => isMissing(image.data?.["ref"]));
  if (type === "embed") return !data["url"];
  return (type === "file" || type === "content-ref") && isMissing(data["ref"]);
}

function isMissing(ref: unknown): boolean {
  const { url, file, page } = (ref ?? {}) as Record<string, unknown>;
  return ref === undefined || ref === null || isOnlyPasted(ref) || (url === "" && file === undefined && page === undefined);
}
