import { type MarkSpec, type NodeSpec, Schema } from "prosemirror-model";

import type { JsonNode } from "./document";
import { pastedImage } from "./images";
import { safeAddress } from "./safe-address";
import { tableSpecs } from "./schema-tables";

/** The attributes that each block keeps: its key, and fields of its JSON that the editor leaves alone. */
const kept = { key: { default: null }, rest: { default: null } };

/** Returns the attributes of an element that name the block for comments and for tests. */
function block(type: string, more: Record<string, string> = {}) {
  return { "data-block": type, ...more };
}

/** Returns the language that the class of pasted code names. */
function languageOf(element: HTMLElement): string {
  const named = element.querySelector("code") ?? element;
  return /(?:lang|language)-([\w+#-]+)/.exec(`${named.className} ${element.className}`)?.[1] ?? "";
}

/** Returns the JSON of a copied block, or `false` if what is pasted is something else. */
function pasted(text = ""): { json: JsonNode } | false {
  try {
    const json = JSON.parse(text) as (Partial<JsonNode> & { markup?: unknown }) | null;
    const isNode = (json?.object === "block" || json?.object === "inline") && typeof json.type === "string";
    const isMarkup = json?.object === "leaf" && typeof json.markup === "string";
    return isNode || isMarkup ? { json: json as JsonNode } : false;
  } catch {
    return false;
  }
}

const nodes: Record<string, NodeSpec> = {
  doc: { content: "block+" },
  paragraph: {
    content: "inline*",
    group: "block",
    attrs: { ...kept, align: { default: null } },
    parseDOM: [{ tag: "p" }],
    toDOM: (node) => ["p", node.attrs["align"] ? { "data-align": node.attrs["align"] as string } : {}, 0],
  },
  heading: {
    content: "inline*",
    group: "block",
    defining: true,
    attrs: { ...kept, level: { default: 1 } },
    parseDOM: [
      { tag: "h1", attrs: { level: 1 } },
      { tag: "h2", attrs: { level: 1 } },
      { tag: "h3", attrs: { level: 2 } },
      { tag: "h4,h5,h6", attrs: { level: 3 } },
    ],
    // The title of the page is the heading of the first level.
    toDOM: (node) => [`h${node.attrs["level"] + 1}`, 0],
  },
  bullet_list: {
    content: "list_item+",
    group: "block",
    attrs: kept,
    parseDOM: [{ tag: "ul" }],
    toDOM: () => ["ul", 0],
  },
  ordered_list: {
    content: "list_item+",
    group: "block",
    attrs: { ...kept, start: { default: null } },
    parseDOM: [{ tag: "ol", getAttrs: (element) => ({ start: element.hasAttribute("start") ? Number(element.getAttribute("start")) : null }) }],
    toDOM: (node) => ["ol", node.attrs["start"] === null ? {} : { start: String(node.attrs["start"]) }, 0],
  },
  task_list: {
    content: "task_item+",
    group: "block",
    attrs: kept,
    parseDOM: [{ tag: "ul[data-tasks]", priority: 60 }],
    toDOM: () => ["ul", { "data-tasks": "" }, 0],
  },
  list_item: {
    content: "paragraph block*",
    defining: true,
    attrs: kept,
    parseDOM: [{ tag: "li" }],
    toDOM: () => ["li", 0],
  },
  task_item: {
    content: "paragraph block*",
    defining: true,
    attrs: { ...kept, checked: { default: false } },
    parseDOM: [{ tag: "li[data-checked]", priority: 60, getAttrs: (element) => ({ checked: element.dataset["checked"] === "true" }) }],
    toDOM: (node) => ["li", { "data-checked": String(node.attrs["checked"]) }, 0],
  },
  blockquote: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: kept,
    parseDOM: [{ tag: "blockquote" }],
    toDOM: () => ["blockquote", 0],
  },
  hint: {
    content: "block+",
    group: "block",
    defining: true,
    attrs: { ...kept, style: { default: "info" } },
    parseDOM: [{ tag: "div[data-hint]", getAttrs: (element) => ({ style: element.dataset["hint"] }) }],
    toDOM: (node) => ["div", block("hint", { "data-hint": node.attrs["style"] }), 0],
  },
  code: {
    content: "text*",
    marks: "",
    group: "block",
    code: true,
    defining: true,
    attrs: {
      ...kept,
      syntax: { default: "" },
      title: { default: "" },
      lineNumbers: { default: false },
      wraps: { default: false },
      /** The lines as they were read, for what they are besides their texts. */
      lines: { default: null },
    },
    parseDOM: [{ tag: "pre", preserveWhitespace: "full", getAttrs: (element) => ({ syntax: languageOf(element) }) }],
    toDOM: () => ["pre", ["code", 0]],
  },
  condition: {
    content: "block+",
    group: "block",
    isolating: true,
    attrs: { ...kept, expression: { default: "" } },
    parseDOM: [{ tag: "div[data-condition]", getAttrs: (element) => ({ expression: element.dataset["condition"] }) }],
    toDOM: (node) => ["div", block("condition", { "data-condition": node.attrs["expression"] as string }), 0],
  },
  divider: {
    group: "block",
    attrs: kept,
    parseDOM: [{ tag: "hr" }],
    toDOM: () => ["hr"],
  },
  expandable: {
    content: "expandable_title expandable_body",
    group: "block",
    isolating: true,
    attrs: kept,
    parseDOM: [{ tag: "div[data-expandable]" }],
    toDOM: () => ["div", block("expandable", { "data-expandable": "" }), 0],
  },
  expandable_title: {
    content: "inline*",
    attrs: { json: { default: null } },
    parseDOM: [{ tag: "div[data-summary]" }],
    toDOM: () => ["div", { "data-summary": "" }, 0],
  },
  expandable_body: {
    content: "block+",
    attrs: { json: { default: null } },
    parseDOM: [{ tag: "div[data-details]" }],
    toDOM: () => ["div", { "data-details": "" }, 0],
  },
  tabs: {
    content: "tab+",
    group: "block",
    isolating: true,
    attrs: kept,
    parseDOM: [{ tag: "div[data-tabs]" }],
    toDOM: () => ["div", block("tabs", { "data-tabs": "" }), 0],
  },
  tab: {
    content: "block+",
    isolating: true,
    attrs: { ...kept, title: { default: "" } },
    parseDOM: [{ tag: "div[data-tab]", getAttrs: (element) => ({ title: element.dataset["tab"] }) }],
    toDOM: (node) => ["div", { "data-tab": node.attrs["title"] }, 0],
  },
  stepper: {
    content: "step+",
    group: "block",
    isolating: true,
    attrs: kept,
    parseDOM: [{ tag: "div[data-stepper]" }],
    toDOM: () => ["div", block("stepper", { "data-stepper": "" }), 0],
  },
  step: {
    content: "block+",
    attrs: kept,
    parseDOM: [{ tag: "div[data-step]" }],
    toDOM: () => ["div", { "data-step": "" }, 0],
  },
  columns: {
    content: "column+",
    group: "block",
    isolating: true,
    attrs: kept,
    parseDOM: [{ tag: "div[data-columns]" }],
    toDOM: () => ["div", block("columns", { "data-columns": "" }), 0],
  },
  column: {
    content: "block+",
    isolating: true,
    attrs: kept,
    parseDOM: [{ tag: "div[data-column]" }],
    toDOM: () => ["div", { "data-column": "" }, 0],
  },
  /** A block that is edited as a whole. Its JSON is the attribute. */
  atom: {
    group: "block",
    atom: true,
    draggable: true,
    attrs: { json: {} },
    parseDOM: [
      { tag: "div[data-atom]", getAttrs: (element) => pasted(element.dataset["atom"]) },
      { tag: "img[src]", getAttrs: (element) => ({ json: pastedImage(element) }) },
    ],
    toDOM: (node) => ["div", { "data-atom": JSON.stringify(node.attrs["json"]) }],
  },
  text: { group: "inline" },
  /** An inline element that is edited as a whole. */
  inline_atom: {
    group: "inline",
    inline: true,
    atom: true,
    attrs: { json: {} },
    parseDOM: [
      { tag: "span[data-inline]", getAttrs: (element) => pasted(element.dataset["inline"]) },
      { tag: "img[data-beside]", priority: 60, getAttrs: (element) => ({ json: pastedImage(element, true) }) },
    ],
    toDOM: (node) => ["span", { "data-inline": JSON.stringify(node.attrs["json"]) }],
  },
  ...tableSpecs(kept),
};

const marks: Record<string, MarkSpec> = {
  link: {
    attrs: { ref: {}, key: { default: null } },
    inclusive: false,
    parseDOM: [
      {
        tag: "a[href]",
        getAttrs: (element) => {
          const url = safeAddress(element.getAttribute("href") ?? undefined);
          return url !== undefined && { ref: { kind: "url", url } };
        },
      },
    ],
    toDOM: (mark) => ["a", { href: safeAddress(mark.attrs["ref"]?.url) ?? "#", rel: "noopener" }, 0],
  },
  annotation: {
    attrs: { fragments: {}, key: { default: null } },
    inclusive: false,
    toDOM: () => ["span", { "data-annotation": "" }, 0],
  },
  bold: { parseDOM: [{ tag: "strong" }, { tag: "b", getAttrs: (element) => element.style.fontWeight !== "normal" && null }], toDOM: () => ["strong", 0] },
  italic: { parseDOM: [{ tag: "em" }, { tag: "i", getAttrs: (element) => element.style.fontStyle !== "normal" && null }], toDOM: () => ["em", 0] },
  strikethrough: { parseDOM: [{ tag: "s" }, { tag: "del" }], toDOM: () => ["s", 0] },
  superscript: { parseDOM: [{ tag: "sup" }], excludes: "subscript", toDOM: () => ["sup", 0] },
  subscript: { parseDOM: [{ tag: "sub" }], excludes: "superscript", toDOM: () => ["sub", 0] },
  keyboard: { parseDOM: [{ tag: "kbd" }], toDOM: () => ["kbd", 0] },
  color: {
    attrs: { text: { default: "default" }, background: { default: "default" }, textHex: { default: null }, backgroundHex: { default: null } },
    toDOM: (mark) => ["span", { "data-color": mark.attrs["text"], "data-background": mark.attrs["background"] }, 0],
  },
  code_mark: { parseDOM: [{ tag: "code" }], toDOM: () => ["code", 0] },
};

/** The types of nodes and marks of the editor. */
export const schema = new Schema({ nodes, marks });
