import type { Node } from "prosemirror-model";
import type { EditorView, NodeView } from "prosemirror-view";

import type { ColumnDefinition } from "./schema-tables";
import { addressOfRef, choice, element, field, fileButton, type GetPosition, isForControl, type Ref, refField, setAttribute, type Surroundings } from "./view-parts";

interface Option {
  value: string;
  label: string;
}

/** A cell whose column holds other values than text. */
export class CellView implements NodeView {
  dom = element("div", "editor-value");

  readonly destroy: () => void;

  constructor(
    private node: Node,
    private readonly view: EditorView,
    private readonly position: GetPosition,
    private readonly surroundings: Surroundings,
  ) {
    this.dom.contentEditable = "false";
    this.destroy = surroundings.watch(() => {
      if (!this.dom.contains(document.activeElement)) this.show();
    });
    this.show();
  }

  private readonly set = (value: unknown): void => setAttribute(this.view, this.position, "value", value);

  private show(): void {
    const { value, definition } = this.node.attrs as { value: unknown; definition: ColumnDefinition };
    this.dom.dataset["value"] = definition.type;
    this.dom.replaceChildren(...this.control(value, definition));
    if (!this.surroundings.isEditable) for (const control of this.dom.querySelectorAll<HTMLInputElement>("input, select")) control.disabled = true;
  }

  private control(value: unknown, definition: ColumnDefinition): HTMLElement[] {
    const { texts } = this.surroundings;
    const label = texts.columnTypes[definition.type] ?? definition.type;
    switch (definition.type) {
      case "checkbox": {
        const box = element("input", "editor-checkbox");
        box.type = "checkbox";
        box.checked = value === true;
        box.setAttribute("aria-label", label);
        box.addEventListener("change", () => this.set(box.checked));
        return [box];
      }
      case "number":
      case "rating": {
        const input = field(label, typeof value === "number" ? String(value) : "", (text) => this.set(text.trim() === "" ? null : Number(text)));
        if (input instanceof HTMLInputElement) {
          input.type = "number";
          if (definition.type === "rating") Object.assign(input, { min: "0", max: String(definition["max"] ?? 5) });
        }
        return [input];
      }
      case "select":
        return [this.select(label, value, definition)];
      case "content-ref":
        return [refField(label, (value ?? undefined) as Ref | undefined, this.surroundings, this.set)];
      case "image":
        return this.image(label, value);
      default:
        return [element("span", "muted", Array.isArray(value) ? value.map((one) => this.surroundings.fileName(String(one)) ?? String(one)).join(", ") : "")];
    }
  }

  private select(label: string, value: unknown, definition: ColumnDefinition): HTMLElement {
    const options = (definition["options"] ?? []) as Option[];
    const chosen = Array.isArray(value) ? value.map(String) : [];
    if (definition["multiple"] !== true) {
      const all = [["", ""], ...options.map((option) => [option.value, option.label] as const)] as const;
      return choice(label, all as readonly (readonly [string, string])[], chosen[0] ?? "", (next) => this.set(next ? [next] : null));
    }
    const group = element("span", "editor-options");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", label);
    for (const option of options) {
      const made = element("button", "editor-option", option.label);
      made.type = "button";
      made.setAttribute("aria-pressed", String(chosen.includes(option.value)));
      made.addEventListener("click", () => {
        const next = chosen.includes(option.value) ? chosen.filter((one) => one !== option.value) : [...chosen, option.value];
        this.set(next.length > 0 ? next : null);
      });
      group.append(made);
    }
    return group;
  }

  private image(label: string, value: unknown): HTMLElement[] {
    const ref = (value && typeof value === "object" && "ref" in value ? value.ref : value) as Ref | null | undefined;
    const source = addressOfRef(ref ?? undefined, this.surroundings);
    const picture = element("img", "editor-cell-image");
    picture.alt = "";
    if (source) picture.src = source;
    const { texts, upload, isEditable } = this.surroundings;
    const choose = fileButton(source ? texts.replaceImage : texts.uploadImage, "image/*", (file) => {
      void upload(file).then((id) => {
        if (id !== undefined) this.set({ kind: "file", file: id });
      });
    });
    const address = field(label, ref?.kind === "url" ? (ref.url ?? "") : "", (url) => this.set(url.trim() ? { kind: "url", url: url.trim() } : null), { isWhole: true });
    return [...(source ? [picture] : []), ...(isEditable ? [choose, address] : [])];
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const isSame = node.attrs["value"] === this.node.attrs["value"] && node.attrs["definition"] === this.node.attrs["definition"];
    this.node = node;
    if (!isSame) this.show();
    return true;
  }

  stopEvent(event: Event): boolean {
    return isForControl(event);
  }

  ignoreMutation(): boolean {
    return true;
  }
}
