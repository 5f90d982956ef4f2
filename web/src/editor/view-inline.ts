import type { Node } from "prosemirror-model";
import type { EditorView, NodeView } from "prosemirror-view";

import { emojiText } from "../space/emoji-text";
import type { JsonNode } from "./document";
import { mistakeLine } from "./view-expression";
import { addressOfRef, element, type GetPosition, type Ref, setAttribute, type Surroundings } from "./view-parts";

/** The field of the data that holds the source of an element. */
const SOURCES: Record<string, string> = { "inline-math": "formula", expression: "expression" };

/** An element in a text. Formulas and expressions become fields when they are selected. */
export class InlineView implements NodeView {
  dom = element("span", "editor-inline");

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

  private show(): void {
    const { texts, pageTitle, fileName, personName } = this.surroundings;
    const { type = "markup", data = {}, markup } = this.node.attrs["json"] as JsonNode & { markup?: string };
    const ref = data["ref"] as Ref | undefined;
    this.dom.dataset["kind"] = type;
    this.dom.replaceChildren();
    if (markup !== undefined) this.dom.textContent = markup;
    else if (type === "emoji") this.dom.textContent = emojiText(String(data["code"]));
    else if (type === "inline-math") this.dom.textContent = String(data["formula"]) || texts.formula;
    else if (type === "expression") this.dom.textContent = `{{ ${String(data["expression"]) || texts.expression} }}`;
    else if (type === "button") this.dom.textContent = String(data["label"]);
    else if (type === "icon") this.dom.textContent = `:${String(data["icon"])}:`;
    else if (type === "inline-image") {
      const picture = element("img");
      picture.alt = String(data["alt"] ?? "");
      const source = addressOfRef(ref, this.surroundings);
      if (source) picture.src = source;
      this.dom.append(picture);
    } else {
      const known = ref?.user !== undefined ? personName(ref.user) : ref?.page !== undefined ? pageTitle(ref.page) : ref?.file !== undefined ? fileName(ref.file) : ref?.url;
      this.dom.textContent = known ?? texts.kinds[type] ?? type;
    }
  }

  selectNode(): void {
    this.dom.classList.add("ProseMirror-selectednode");
    const json = this.node.attrs["json"] as JsonNode;
    const name = SOURCES[json.type ?? ""];
    if (name === undefined || !this.view.editable || this.dom.querySelector("input")) return;
    const { texts } = this.surroundings;
    const input = element("input", "input editor-inline-input");
    input.value = String(json.data?.[name] ?? "");
    input.setAttribute("aria-label", name === "formula" ? texts.formula : texts.expression);
    input.addEventListener("change", () => {
      const now = this.node.attrs["json"] as JsonNode;
      setAttribute(this.view, this.position, "json", { ...now, data: { ...now.data, [name]: input.value } });
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") {
        event.preventDefault();
        this.view.focus();
      }
    });
    const mistake = name === "expression" ? mistakeLine(input, this.surroundings) : undefined;
    input.addEventListener("blur", () => {
      mistake?.stop();
      this.show();
    });
    this.dom.replaceChildren(input, ...(mistake ? [mistake.dom] : []));
    requestAnimationFrame(() => input.focus());
  }

  deselectNode(): void {
    this.dom.classList.remove("ProseMirror-selectednode");
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    if (!this.dom.contains(document.activeElement)) this.show();
    return true;
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof HTMLInputElement;
  }

  ignoreMutation(): boolean {
    return true;
  }
}
