import type { EditorView } from "prosemirror-view";

import type { Messages } from "../i18n";
import type { Mistake } from "../space/expression-check";
import type { JsonNode } from "./document";

/** The services of the page that blocks need. */
export interface Surroundings {
  texts: Messages["editor"];
  isEditable: boolean;
  /** Returns the address of a file of the space; `undefined` while it is not known. */
  fileUrl: (id: string) => string | undefined;
  fileName: (id: string) => string | undefined;
  /** Returns the title of a page of the space. */
  pageTitle: (id: string) => string | undefined;
  /** Returns the name of a member of the organization; `undefined` while it is not known. */
  personName: (id: string) => string | undefined;
  /** Returns the pages of the space by their titles. */
  pages: () => readonly { id: string; label: string }[];
  /** Calls a function when files and pages become known, until the returned function is called. */
  watch: (listener: () => void) => () => void;
  /** Returns the mistake in an expression; `undefined` if there is none. */
  mistakeIn: (expression: string) => Promise<Mistake | undefined>;
  /** Returns the content of a block that shows parts of a specification; `undefined` for others, and while its code is not there. */
  apiBox: (json: JsonNode) => HTMLElement[] | undefined;
  /** Adds a file to the space and returns its id. */
  upload: (file: File) => Promise<string | undefined>;
}

/** A reference of the document model. */
export interface Ref {
  kind?: string;
  url?: string;
  page?: string;
  file?: string;
  anchor?: string;
  user?: string;
}

export type GetPosition = () => number | undefined;

/** Returns a new element. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** Returns a button with a text. The text of the page keeps its selection. */
export function button(text: string, className: string, run: () => void): HTMLButtonElement {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("mousedown", (event) => event.preventDefault());
  made.addEventListener("click", run);
  return made;
}

interface FieldOptions {
  /** True for a text of several lines. */
  isLong?: boolean;
  /** True if parts of the text mean nothing, as of an address: it is taken over when the field is left, or after Enter. */
  isWhole?: boolean;
}

/** Returns a field whose text is taken over as it is typed. */
export function field(
  label: string,
  value: string,
  onChange: (value: string) => void,
  { isLong = false, isWhole = false }: FieldOptions = {},
): HTMLInputElement | HTMLTextAreaElement {
  const input = isLong ? element("textarea", "input editor-source") : element("input", "input");
  input.value = value;
  input.setAttribute("aria-label", label);
  input.placeholder = label;
  if (input instanceof HTMLTextAreaElement) {
    input.rows = Math.min(16, Math.max(2, value.split("\n").length));
    input.spellcheck = false;
  }
  input.addEventListener(isWhole ? "change" : "input", () => onChange(input.value));
  input.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent && event.key === "Enter" && (!isLong || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onChange(input.value);
    }
  });
  return input;
}

/** Returns a choice of one of several options. */
export function choice(label: string, options: readonly (readonly [value: string, text: string])[], value: string, onChange: (value: string) => void): HTMLSelectElement {
  const select = element("select", "editor-choice");
  select.setAttribute("aria-label", label);
  for (const [one, text] of options) select.append(new Option(text, one, false, one === value));
  select.value = value;
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

/** Returns a button that lets the person choose a file. */
export function fileButton(text: string, accept: string, onFile: (file: File) => void): HTMLElement {
  const label = element("label", "button button-small editor-file-button", text);
  const input = element("input", "visually-hidden");
  input.type = "file";
  input.accept = accept;
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.value = "";
    if (file) onFile(file);
  });
  label.append(input);
  return label;
}

/** Returns a field for an address or the title of a page of the space. */
export function refField(label: string, ref: Ref | undefined, { pages, pageTitle }: Surroundings, onChange: (ref: Ref) => void): HTMLElement {
  const value = ref?.page !== undefined ? (pageTitle(ref.page) ?? ref.page) : (ref?.url ?? "");
  const box = element("span", "editor-ref");
  const input = field(label, value, (text) => {
    const found = pages().find((page) => page.label === text.trim());
    if (found) onChange({ kind: "page", page: found.id });
    else if (text.trim()) onChange({ kind: "url", url: text.trim() });
  }, { isWhole: true });
  const list = element("datalist");
  list.id = `editor-pages-${(count += 1)}`;
  input.setAttribute("list", list.id);
  input.addEventListener("focus", () => {
    list.replaceChildren(...pages().slice(0, 500).map((page) => new Option(page.label)));
  });
  box.append(input, list);
  return box;
}

let count = 0;

/** Returns whether an event is for a control of a block, and not for the text. */
export function isForControl(event: Event): boolean {
  const { target } = event;
  return target instanceof Element && target.closest("input, textarea, select, button, label, summary, details") !== null;
}

/** Changes an attribute of the node of a view. */
export function setAttribute(view: EditorView, position: GetPosition, name: string, value: unknown): void {
  const at = position();
  if (at !== undefined && view.editable) view.dispatch(view.state.tr.setNodeAttribute(at, name, value));
}

/** Returns the text of a node of the document model. */
export function textOf(node: JsonNode): string {
  const own = (node.leaves ?? []).map(({ text }) => text).join("");
  return own + [...(node.nodes ?? []), ...(node.fragments ?? [])].map(textOf).join(" ");
}

/** Returns the address of a reference to a file or to the web. */
export function addressOfRef(ref: Ref | undefined, { fileUrl }: Surroundings): string | undefined {
  if (ref?.kind === "file") return fileUrl(ref.file ?? "");
  // Files of a computer and of another page are in pasted text, and no browser shows them.
  return ref?.url !== undefined && /^(file|blob):/i.test(ref.url) ? undefined : ref?.url;
}
