import type { Node } from "prosemirror-model";
import type { EditorView, NodeView } from "prosemirror-view";

import { button, element, type GetPosition, isForControl, setAttribute, type Surroundings } from "./view-parts";

/** Languages that are offered; others can be typed. */
const LANGUAGES = "bash c cpp csharp css diff dockerfile go graphql html http ini java javascript json kotlin lua makefile markdown mermaid php powershell python ruby rust scss shell sql swift toml tsx typescript xml yaml".split(" ");

const LIST = "editor-languages";

function languages(): void {
  if (document.getElementById(LIST)) return;
  const list = element("datalist");
  list.id = LIST;
  list.append(...LANGUAGES.map((language) => new Option(language)));
  document.body.append(list);
}

/** A block of code with its language, its title and the way it is shown. */
export class CodeView implements NodeView {
  dom = element("div", "editor-code");
  contentDOM = element("code");
  private readonly language = element("input", "editor-line editor-code-language");
  private readonly title = element("input", "editor-line");
  private readonly numbers: HTMLButtonElement;
  private readonly wraps: HTMLButtonElement;

  constructor(
    private node: Node,
    view: EditorView,
    position: GetPosition,
    { texts, isEditable }: Surroundings,
  ) {
    languages();
    const bar = element("div", "editor-code-bar");
    bar.contentEditable = "false";
    const set = (name: string, value: unknown) => setAttribute(view, position, name, value);
    for (const [input, name, label, hint] of [
      [this.title, "title", texts.codeTitle, texts.codeTitle],
      [this.language, "syntax", texts.language, texts.plainText],
    ] as const) {
      input.setAttribute("aria-label", label);
      input.placeholder = hint;
      input.spellcheck = false;
      input.disabled = !isEditable;
      input.addEventListener("change", () => set(name, input.value.trim()));
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        view.focus();
      });
    }
    this.language.setAttribute("list", LIST);
    const toggle = (name: string, text: string) => button(text, "editor-toggle", () => set(name, this.node.attrs[name] !== true));
    this.numbers = toggle("lineNumbers", texts.lineNumbers);
    this.wraps = toggle("wraps", texts.wrapLines);
    bar.append(this.title, this.language);
    if (isEditable) bar.append(this.numbers, this.wraps);
    const pre = element("pre");
    pre.append(this.contentDOM);
    this.dom.append(bar, pre);
    this.show();
  }

  private show(): void {
    const { syntax, title, lineNumbers, wraps } = this.node.attrs as { syntax: string; title: string; lineNumbers: boolean; wraps: boolean };
    if (document.activeElement !== this.language) this.language.value = syntax;
    if (document.activeElement !== this.title) this.title.value = title;
    this.numbers.setAttribute("aria-pressed", String(lineNumbers));
    this.wraps.setAttribute("aria-pressed", String(wraps));
    this.dom.dataset["wraps"] = String(wraps);
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const isSameText = node.sameMarkup(this.node);
    this.node = node;
    if (!isSameText) this.show();
    return true;
  }

  stopEvent(event: Event): boolean {
    return isForControl(event);
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}
