import type { Node } from "prosemirror-model";
import { Selection } from "prosemirror-state";
import type { EditorView, NodeView } from "prosemirror-view";

import { schema } from "./schema";
import { type MistakeLine, mistakeLine } from "./view-expression";
import { button, choice, element, type GetPosition, isForControl, setAttribute, type Surroundings } from "./view-parts";

type Control = HTMLInputElement | HTMLSelectElement;

/** The attribute that the control of a block changes. */
const ATTRIBUTES: Record<string, string> = { hint: "style", task_item: "checked", tab: "title", condition: "expression" };

/** A block with children and a control above them, such as the kind of a hint. */
export class FramedView implements NodeView {
  dom: HTMLElement;
  contentDOM = element("div", "editor-content");
  private readonly control: Control | undefined;
  private readonly mistake: MistakeLine | undefined;

  constructor(
    private node: Node,
    private readonly view: EditorView,
    private readonly position: GetPosition,
    private readonly surroundings: Surroundings,
  ) {
    this.dom = document.createElement(node.type.name === "task_item" ? "li" : "div");
    this.control = this.controlOf(node.type.name);
    const isPart = node.type.name === "tab" || node.type.name === "step" || node.type.name === "column";
    const head = element("div", "editor-frame-head");
    head.contentEditable = "false";
    if (this.control) head.append(this.control);
    if (node.type.name === "condition" && surroundings.isEditable) {
      this.mistake = mistakeLine(this.control as HTMLInputElement, surroundings);
      head.append(this.mistake.dom);
    }
    if (isPart && surroundings.isEditable) head.append(this.removeButton());
    if (head.childElementCount > 0) this.dom.append(head);
    this.dom.append(this.contentDOM);
    this.show();
  }

  private controlOf(name: string): Control | undefined {
    const { texts, isEditable } = this.surroundings;
    const set = (value: unknown) => setAttribute(this.view, this.position, ATTRIBUTES[name] ?? "", value);
    if (name === "hint") {
      const select = choice(texts.hintStyle, Object.entries<string>(texts.hintStyles), "info", set);
      select.disabled = !isEditable;
      return select;
    }
    if (name !== "task_item" && name !== "tab" && name !== "condition") return undefined;
    const input = element("input", name === "task_item" ? "editor-checkbox" : `editor-line editor-${name}-line`);
    input.disabled = !isEditable;
    if (name === "task_item") {
      input.type = "checkbox";
      input.setAttribute("aria-label", texts.task);
      input.addEventListener("change", () => set(input.checked));
    } else {
      const label = name === "tab" ? texts.tabTitle : texts.condition;
      input.setAttribute("aria-label", label);
      input.placeholder = label;
      input.spellcheck = name === "tab";
      input.addEventListener("input", () => set(input.value));
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== "ArrowDown") return;
        event.preventDefault();
        this.intoText();
      });
    }
    return input;
  }

  private intoText(): void {
    const at = this.position();
    if (at === undefined) return;
    const { state } = this.view;
    this.view.dispatch(state.tr.setSelection(Selection.near(state.doc.resolve(at + 1))));
    this.view.focus();
  }

  private removeButton(): HTMLElement {
    const { texts } = this.surroundings;
    const label = texts.removePart[this.node.type.name] ?? "";
    const made = button("×", "editor-remove", () => {
      const at = this.position();
      if (at === undefined) return;
      const { state } = this.view;
      const $at = state.doc.resolve(at);
      const isOnly = $at.parent.childCount === 1;
      const transaction = isOnly ? state.tr.delete($at.before(), $at.after()) : state.tr.delete(at, at + this.node.nodeSize);
      this.view.dispatch(transaction);
      this.view.focus();
    });
    made.setAttribute("aria-label", label);
    made.title = label;
    return made;
  }

  private show(): void {
    const { type, attrs } = this.node;
    this.dom.dataset["block"] = type.name;
    const value: unknown = attrs[ATTRIBUTES[type.name] ?? ""];
    if (type.name === "hint") this.dom.dataset["hint"] = String(value);
    if (type.name === "task_item") {
      this.dom.dataset["checked"] = String(value);
      (this.control as HTMLInputElement).checked = value === true;
    } else if (this.control && document.activeElement !== this.control) {
      this.control.value = String(value ?? "");
      this.mistake?.changed();
    }
    if (type.name === "column") {
      const width = (attrs["rest"] as { data?: { width?: { value?: number } } } | null)?.data?.width?.value;
      if (width) this.dom.style.flexGrow = String(width / 10);
    }
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    this.show();
    return true;
  }

  destroy(): void {
    this.mistake?.stop();
  }

  stopEvent(event: Event): boolean {
    return isForControl(event);
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}

const PARTS: Record<string, string> = { tabs: "tab", stepper: "step", columns: "column" };

/** A block of parts, with a button that adds one. */
export class GroupView implements NodeView {
  dom = element("div");
  contentDOM = element("div", "editor-parts");

  constructor(
    private node: Node,
    view: EditorView,
    position: GetPosition,
    { texts, isEditable }: Surroundings,
  ) {
    const name = node.type.name;
    this.dom.dataset["block"] = name;
    this.dom.append(this.contentDOM);
    if (!isEditable) return;
    const add = button(texts.addPart[name] ?? "", "button button-small button-quiet editor-add", () => {
      const at = position();
      const part = schema.nodes[PARTS[name] ?? ""]?.create(null, schema.node("paragraph"));
      if (at === undefined || !part) return;
      const end = at + this.node.nodeSize - 1;
      const transaction = view.state.tr.insert(end, part);
      view.dispatch(transaction.setSelection(Selection.near(transaction.doc.resolve(end + 1))).scrollIntoView());
      view.focus();
    });
    add.contentEditable = "false";
    this.dom.append(add);
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    return true;
  }

  stopEvent(event: Event): boolean {
    return isForControl(event) && !this.contentDOM.contains(event.target as globalThis.Node);
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}
