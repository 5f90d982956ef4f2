import type { JsonNode } from "./document";
import { captionOf, withCaption } from "./images";
import type { BlockChange } from "./view-atoms";
import { addressOfRef, button, choice, element, field, fileButton, type Ref, type Surroundings } from "./view-parts";

interface ImageData {
  ref?: Ref;
  refDark?: Ref;
  alt?: string;
  width?: number | { value: number; unit: string };
}

/** Changes the picture at an index. */
type Change = (index: number, next: (image: JsonNode) => JsonNode) => void;

/** Returns the pictures of a block with their fields. */
export function imagesView({ json, change }: BlockChange, surroundings: Surroundings): HTMLElement[] {
  const { texts, upload, isEditable } = surroundings;
  const images = json().nodes ?? [];
  const set: Change = (index, next) => change({ ...json(), nodes: (json().nodes ?? []).map((one, at) => (at === index ? next(one) : one)) });
  const figures = images.map((image, index) => figureOf(image, (next) => set(index, next), surroundings));
  if (!isEditable || images.every((image) => image.data?.["ref"] === undefined)) return figures;
  const add = fileButton(texts.addImage, "image/*", (file) => {
    void upload(file).then((id) => {
      const image = { object: "block", type: "image", isVoid: true, data: { ref: { kind: "file", file: id } }, fragments: [] };
      if (id !== undefined) change({ ...json(), nodes: [...(json().nodes ?? []), image] });
    });
  });
  const align = choice(texts.align, Object.entries(texts.alignments), String(json().data?.["align"] ?? "center"), (value) => {
    change({ ...json(), data: { ...json().data, align: value } });
  });
  const tools = element("div", "editor-image-tools");
  tools.append(align, add);
  return [...figures, tools];
}

function cleaned(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined && value !== ""));
}

function figureOf(image: JsonNode, set: (next: (image: JsonNode) => JsonNode) => void, surroundings: Surroundings): HTMLElement {
  const { texts, upload, isEditable } = surroundings;
  const { ref, refDark, alt = "", width } = (image.data ?? {}) as ImageData;
  const figure = element("figure", "editor-figure");
  const withData = (changed: Partial<ImageData>) => set((now) => ({ ...now, data: cleaned({ ...now.data, ...changed }) }));
  const choose = (text: string, name: "ref" | "refDark") =>
    fileButton(text, "image/*", (file) => {
      void upload(file).then((id) => {
        if (id !== undefined) withData({ [name]: { kind: "file", file: id } });
      });
    });
  if (ref === undefined) {
    figure.classList.add("editor-figure-empty");
    const address = field(texts.imageAddress, "", (url) => {
      if (url.trim()) withData({ ref: { kind: "url", url: url.trim() } });
    }, { isWhole: true });
    figure.append(choose(texts.uploadImage, "ref"), address);
    return figure;
  }
  const picture = element("img");
  picture.alt = alt;
  const source = addressOfRef(ref, surroundings);
  if (source) picture.src = source;
  const size = typeof width === "number" ? `${width}px` : width ? `${width.value}${width.unit}` : "";
  if (size) picture.style.inlineSize = size;
  figure.append(picture);
  if (!isEditable) {
    const caption = captionOf(image);
    if (caption) figure.append(element("figcaption", "muted", caption));
    return figure;
  }
  const sizes = [["", texts.sizes.full], ["25", texts.sizes.quarter], ["50", texts.sizes.half], ["75", texts.sizes.threeQuarters]] as const;
  const now = typeof width === "object" && width.unit === "%" ? String(width.value) : "";
  const sizeField = choice(texts.size, width === undefined || now ? sizes : [...sizes, [size, size]], now || size, (value) => {
    if (value !== size) withData({ width: value ? { value: Number(value), unit: "%" } : undefined } as Partial<ImageData>);
  });
  const tools = element("div", "editor-image-tools");
  tools.append(sizeField, choose(texts.replaceImage, "ref"));
  tools.append(refDark ? button(texts.removeDark, "button button-small", () => withData({ refDark: undefined } as Partial<ImageData>)) : choose(texts.darkImage, "refDark"));
  figure.append(
    field(texts.caption, captionOf(image), (text) => set((now) => withCaption(now, text))),
    field(texts.altText, alt, (text) => withData({ alt: text })),
    tools,
  );
  return figure;
}
