import type { Node } from "prosemirror-model";
import type { EditorView, NodeView } from "prosemirror-view";

import type { JsonNode } from "./document";
import { captionOf, withCaption } from "./images";
import { imagesView } from "./view-images";
import { button, element, field, fileButton, type GetPosition, isForControl, type Ref, refField, setAttribute, type Surroundings, textOf } from "./view-parts";

/** The functions by which the controls of a block read and change it. */
export interface BlockChange {
  /** Returns the block as it is now, which may be later than when its controls were made. */
  json: () => JsonNode;
  change: (json: JsonNode) => void;
  setData: (name: string, value: unknown) => void;
}

/** A block that is edited by fields. */
export class AtomView implements NodeView {
  dom = element("div", "editor-atom");
  /** True if the block has changed while one of its texts was written. */
  private isStale = false;

  readonly destroy: () => void;

  constructor(
    private node: Node,
    private readonly view: EditorView,
    private readonly position: GetPosition,
    private readonly surroundings: Surroundings,
  ) {
    this.dom.contentEditable = "false";
    this.destroy = surroundings.watch(() => this.refresh());
    this.dom.addEventListener("focusout", ({ relatedTarget }) => {
      const isLeft = !(relatedTarget instanceof globalThis.Node && this.dom.contains(relatedTarget));
      if (isLeft && this.isStale) this.show();
    });
    this.show();
  }

  /** Shows the block anew: at once, or after the text that is being written is left. */
  private refresh(): void {
    const active = document.activeElement;
    this.isStale = active instanceof HTMLElement && this.dom.contains(active) && active.matches("input:not([type=file]), textarea");
    if (!this.isStale) this.show();
  }

  private get json(): JsonNode {
    return this.node.attrs["json"] as JsonNode;
  }

  private readonly change = (json: JsonNode): void => {
    if (JSON.stringify(json) !== JSON.stringify(this.json)) setAttribute(this.view, this.position, "json", json);
  };

  private readonly setData = (name: string, value: unknown): void => {
    this.change({ ...this.json, data: { ...this.json.data, [name]: value } });
  };

  private show(): void {
    this.isStale = false;
    const { type = "" } = this.json;
    const focused = this.dom.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : undefined;
    this.dom.dataset["kind"] = type;
    this.dom.dataset["block"] = type;
    const access: BlockChange = { json: () => this.json, change: this.change, setData: this.setData };
    const api = this.surroundings.apiBox(this.json);
    this.dom.toggleAttribute("data-api", api !== undefined);
    this.dom.replaceChildren(...(api ?? (type === "images" ? imagesView(access, this.surroundings) : this.content())));
    if (focused) this.dom.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  private content(): HTMLElement[] {
    const { texts } = this.surroundings;
    const { type = "", data = {} } = this.json;
    const content: HTMLElement[] = [element("span", "editor-atom-name", texts.kinds[type] ?? texts.otherBlock(type))];
    const ref = data["ref"] as Ref | undefined;
    if (type === "math") content.push(field(texts.formula, String(data["formula"] ?? ""), (text) => this.setData("formula", text), { isLong: true }));
    else if (type === "embed") content.push(...this.embed(String(data["url"] ?? "")), this.caption());
    else if (type === "file") content.push(...this.file(ref), this.caption());
    else if (type === "content-ref") content.push(refField(texts.linkAddress, ref, this.surroundings, (next) => this.setData("ref", next)));
    else content.push(...this.other(data));
    if (!this.surroundings.isEditable) {
      for (const part of content) for (const control of [part, ...part.querySelectorAll("*")]) if ("disabled" in control) control.disabled = true;
    }
    return content;
  }

  private caption(): HTMLElement {
    return field(this.surroundings.texts.caption, captionOf(this.json), (text) => this.change(withCaption(this.json, text)));
  }

  private embed(url: string): HTMLElement[] {
    const { texts } = this.surroundings;
    return [field(texts.address, url, (text) => this.setData("url", text.trim()), { isWhole: true })];
  }

  private file(ref: Ref | undefined): HTMLElement[] {
    const { texts, fileName, fileUrl, upload } = this.surroundings;
    const choose = fileButton(ref ? texts.replaceFile : texts.uploadFile, "", (file) => {
      void upload(file).then((id) => {
        if (id !== undefined) this.setData("ref", { kind: "file", file: id });
      });
    });
    if (ref?.file === undefined) return [choose];
    const link = element("a", "", fileName(ref.file) ?? ref.file);
    const url = fileUrl(ref.file);
    if (url) link.href = url;
    return [link, choose];
  }

  private other(data: Record<string, unknown>): HTMLElement[] {
    const { texts } = this.surroundings;
    const props = data["props"] as Record<string, unknown> | undefined;
    if (typeof props?.["markdown"] === "string") {
      return [field(texts.source, props["markdown"], (markdown) => this.setData("props", { ...(this.json.data?.["props"] as object), markdown }), { isLong: true })];
    }
    return [element("span", "muted", summary(this.json)), this.source()];
  }

  /** Returns the JSON of a block, which can be edited. */
  private source(): HTMLElement {
    const { texts } = this.surroundings;
    const box = element("div", "editor-json");
    const open = button(texts.editSource, "button button-small", () => {
      const { key: _key, ...shown } = this.json;
      const input = field(
        texts.source,
        JSON.stringify(shown, null, 2),
        (text) => {
          const next = parsed(text);
          input.setAttribute("aria-invalid", String(next === undefined));
          if (next) this.change({ ...next, ...(this.json.key !== undefined && { key: this.json.key }) });
        },
        { isLong: true },
      );
      box.replaceChildren(input);
      input.focus();
    });
    box.append(open);
    return box;
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const before = this.json;
    this.node = node;
    const hasChanged = JSON.stringify({ ...before, key: "" }) !== JSON.stringify({ ...this.json, key: "" });
    if (hasChanged) this.refresh();
    return true;
  }

  stopEvent(event: Event): boolean {
    return isForControl(event) || (event.target instanceof Element && event.target.closest("[data-api] a") !== null);
  }

  ignoreMutation(): boolean {
    return true;
  }
}

function parsed(text: string): JsonNode | undefined {
  try {
    const json = JSON.parse(text) as Partial<JsonNode> | null;
    return json?.object === "block" && typeof json.type === "string" ? (json as JsonNode) : undefined;
  } catch {
    return undefined;
  }
}

function summary(json: JsonNode): string {
  const { ref, ...data } = json.data ?? {};
  const address = (ref as Ref | undefined)?.url ?? "";
  const words = Object.values(data).flat().filter((value) => typeof value === "string");
  const text = [textOf(json).trim(), ...words, address].filter(Boolean).join(" · ");
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
