import type { Node } from "prosemirror-model";
import type { EditorView, NodeView, NodeViewConstructor } from "prosemirror-view";

import type { Messages } from "../i18n";
import { emojiText } from "../space/emoji-text";
import type { JsonNode } from "./document";

type Texts = Messages["editor"];
type GetPosition = () => number | undefined;

/** The services of the page that blocks need. */
export interface Surroundings {
  texts: Texts;
  /** Returns the address of a file of the space; `undefined` while it is not known. */
  fileUrl: (id: string) => string | undefined;
  /** Returns the title of a page of the space. */
  pageTitle: (id: string) => string | undefined;
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Returns a field whose text becomes an attribute of a node. */
function field(label: string, value: string, isLong: boolean, onChange: (value: string) => void): HTMLElement {
  const input = isLong ? element("textarea", "input editor-source") : element("input", "input");
  input.value = value;
  input.setAttribute("aria-label", label);
  input.placeholder = label;
  if (input instanceof HTMLTextAreaElement) input.rows = Math.min(12, value.split("\n").length);
  input.addEventListener("change", () => onChange(input.value));
  return input;
}

function setAttribute(view: EditorView, position: GetPosition, name: string, value: unknown): void {
  const at = position();
  if (at !== undefined) view.dispatch(view.state.tr.setNodeAttribute(at, name, value));
}

/** A block that is edited by fields. */
class AtomView implements NodeView {
  dom = element("div", "editor-atom");

  constructor(
    private node: Node,
    private readonly view: EditorView,
    private readonly position: GetPosition,
    private readonly surroundings: Surroundings,
  ) {
    this.show();
  }

  private get json(): JsonNode {
    return this.node.attrs["json"] as JsonNode;
  }

  private change(json: JsonNode): void {
    setAttribute(this.view, this.position, "json", json);
  }

  private setData(name: string, value: unknown): void {
    this.change({ ...this.json, data: { ...this.json.data, [name]: value } });
  }

  private show(): void {
    const { texts } = this.surroundings;
    const { type = "", data = {} } = this.json;
    const name = texts.kinds[type] ?? texts.otherBlock(type);
    this.dom.dataset["kind"] = type;
    this.dom.replaceChildren();
    if (type === "images") return this.images();
    this.dom.append(element("span", "editor-atom-name", name));
    if (type === "math") this.dom.append(field(texts.formula, String(data["formula"] ?? ""), true, (text) => this.setData("formula", text)));
    else if (type === "embed") this.dom.append(field(texts.address, String(data["url"] ?? ""), false, (text) => this.setData("url", text)));
    else this.other(type, data);
  }

  private other(type: string, data: Record<string, unknown>): void {
    const { texts, pageTitle } = this.surroundings;
    const props = data["props"] as Record<string, unknown> | undefined;
    const ref = data["ref"] as { page?: string; url?: string } | undefined;
    if (type === "integration" && typeof props?.["markdown"] === "string") {
      const set = (markdown: string) => this.setData("props", { ...props, markdown });
      this.dom.append(field(texts.source, props["markdown"], true, set));
    } else if (type === "content-ref") {
      const text = ref?.page ? pageTitle(ref.page) : ref?.url;
      this.dom.append(element("span", "", text ?? ""));
    } else {
      this.dom.append(element("span", "muted", summary(this.json)));
    }
  }

  private images(): void {
    const { texts, fileUrl } = this.surroundings;
    const nodes = this.json.nodes ?? [];
    nodes.forEach((image, index) => {
      const data = image.data ?? {};
      const ref = data["ref"] as { kind: string; url?: string; file?: string } | undefined;
      const source = ref?.kind === "file" ? fileUrl(ref.file ?? "") : ref?.url;
      const figure = element("figure", "editor-figure");
      const picture = element("img", "");
      picture.alt = String(data["alt"] ?? "");
      if (source) picture.src = source;
      const set = (next: JsonNode) => this.change({ ...this.json, nodes: nodes.map((one, at) => (at === index ? next : one)) });
      figure.append(
        picture,
        field(texts.altText, String(data["alt"] ?? ""), false, (alt) => set({ ...image, data: { ...data, alt } })),
        field(texts.caption, captionOf(image), false, (text) => set(withCaption(image, text))),
      );
      this.dom.append(figure);
    });
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const isSame = node.attrs["json"] === this.node.attrs["json"];
    this.node = node;
    if (!isSame && !this.dom.contains(document.activeElement)) this.show();
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  }

  ignoreMutation(): boolean {
    return true;
  }
}

function textOf(node: JsonNode): string {
  const own = (node.leaves ?? []).map(({ text }) => text).join("");
  return own + [...(node.nodes ?? []), ...(node.fragments ?? [])].map(textOf).join(" ");
}

function summary(json: JsonNode): string {
  const text = textOf(json).trim();
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function captionOf(image: JsonNode): string {
  const caption = image.fragments?.find(({ fragment }) => fragment === "caption");
  return caption ? textOf(caption).trim() : "";
}

/** Returns an image with another caption. One that is not changed keeps its marks. */
function withCaption(image: JsonNode, text: string): JsonNode {
  if (text === captionOf(image)) return image;
  const others = (image.fragments ?? []).filter(({ fragment }) => fragment !== "caption");
  const leaf = { object: "leaf" as const, text, marks: [] };
  const line = { object: "block", type: "paragraph", isVoid: false, data: {}, nodes: [{ object: "text", leaves: [leaf] }] };
  return { ...image, fragments: text ? [...others, { object: "fragment", fragment: "caption", nodes: [line] }] : others };
}

/** An inline element that is shown by its content. */
function inlineView(node: Node, surroundings: Surroundings): NodeView {
  const json = node.attrs["json"] as JsonNode;
  const { type = "", data = {} } = json;
  const dom = element("span", "editor-inline");
  dom.dataset["kind"] = type;
  const ref = data["ref"] as { page?: string; url?: string; kind?: string; file?: string } | undefined;
  if (type === "emoji") dom.textContent = emojiText(String(data["code"]));
  else if (type === "inline-math") dom.textContent = String(data["formula"]);
  else if (type === "expression") dom.textContent = `{{ ${String(data["expression"])} }}`;
  else if (type === "button") dom.textContent = String(data["label"]);
  else if (type === "inline-image") {
    const source = ref?.kind === "file" ? surroundings.fileUrl(ref.file ?? "") : ref?.url;
    const picture = element("img", "");
    picture.alt = String(data["alt"] ?? "");
    if (source) picture.src = source;
    dom.append(picture);
  } else dom.textContent = (ref?.page ? surroundings.pageTitle(ref.page) : undefined) ?? surroundings.texts.kinds[type] ?? type;
  return { dom };
}

/** A block of code with its language. */
class CodeView implements NodeView {
  dom = element("div", "editor-code");
  contentDOM = element("code", "");
  private readonly language: HTMLInputElement;

  constructor(
    private node: Node,
    view: EditorView,
    position: GetPosition,
    { texts }: Surroundings,
  ) {
    const bar = element("div", "editor-code-bar");
    bar.contentEditable = "false";
    this.language = element("input", "editor-code-language");
    this.language.setAttribute("aria-label", texts.language);
    this.language.placeholder = texts.plainText;
    this.language.value = String(node.attrs["syntax"]);
    this.language.addEventListener("change", () => setAttribute(view, position, "syntax", this.language.value.trim()));
    bar.append(this.language);
    const pre = element("pre", "");
    pre.append(this.contentDOM);
    this.dom.append(bar, pre);
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    if (document.activeElement !== this.language) this.language.value = String(node.attrs["syntax"]);
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target === this.language;
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}

/** A block with children and a control above them, such as the kind of a hint. */
class FramedView implements NodeView {
  dom = element("div", "");
  contentDOM = element("div", "editor-content");
  private readonly control: HTMLSelectElement | HTMLInputElement;

  constructor(
    private node: Node,
    view: EditorView,
    position: GetPosition,
    { texts }: Surroundings,
  ) {
    if (node.type.name === "hint") {
      const select = element("select", "editor-hint-style");
      select.setAttribute("aria-label", texts.hintStyle);
      for (const [style, label] of Object.entries<string>(texts.hintStyles)) select.append(new Option(label, style));
      select.addEventListener("change", () => setAttribute(view, position, "style", select.value));
      this.control = select;
    } else if (node.type.name === "task_item") {
      const box = element("input", "");
      box.type = "checkbox";
      box.setAttribute("aria-label", texts.task);
      box.addEventListener("change", () => setAttribute(view, position, "checked", box.checked));
      this.dom = document.createElement("li") as unknown as HTMLDivElement;
      this.control = box;
    } else {
      const input = element("input", "editor-tab-title");
      input.setAttribute("aria-label", texts.tabTitle);
      input.placeholder = texts.tabTitle;
      input.addEventListener("change", () => setAttribute(view, position, "title", input.value));
      this.control = input;
    }
    this.control.contentEditable = "false";
    this.dom.append(this.control, this.contentDOM);
    this.show();
  }

  private show(): void {
    const { style, checked, title } = this.node.attrs as { style?: string; checked?: boolean; title?: string };
    this.dom.dataset["block"] = this.node.type.name;
    if (style !== undefined) {
      this.dom.dataset["hint"] = style;
      this.control.value = style;
    } else if (checked !== undefined) {
      (this.control as HTMLInputElement).checked = checked;
      this.dom.dataset["checked"] = String(checked);
    } else if (document.activeElement !== this.control) {
      this.control.value = title ?? "";
    }
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    this.show();
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target === this.control;
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}

/** Returns the views of nodes that are more than their elements. */
export function nodeViews(surroundings: Surroundings): Record<string, NodeViewConstructor> {
  const framed: NodeViewConstructor = (node, view, position) => new FramedView(node, view, position, surroundings);
  return {
    atom: (node, view, position) => new AtomView(node, view, position, surroundings),
    inline_atom: (node) => inlineView(node, surroundings),
    code: (node, view, position) => new CodeView(node, view, position, surroundings),
    hint: framed,
    tab: framed,
    task_item: framed,
  };
}
