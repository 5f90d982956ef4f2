import { markdownLanguage } from "@codemirror/lang-markdown";
import type { Mark, Node } from "prosemirror-model";

import { imagesOf, pastedRef, type PastedRef } from "./images";
import { schema } from "./schema";
import { TEXT_COLUMN } from "./schema-tables";

type SyntaxNode = ReturnType<typeof markdownLanguage.parser.parse>["topNode"];

const OPENING = /^[ \t]*\{%[ \t]*(hint|tabs|tab|stepper|step|columns|column|if|code)\b([^%]*)%\}[ \t]*$|^<details[^>]*>[ \t]*$/;
const PARTS: Record<string, string> = { tabs: "tab", stepper: "step", columns: "column" };

function paragraph(content?: Node[]): Node {
  return schema.node("paragraph", null, content);
}

function filled(nodes: Node[]): Node[] {
  return nodes.length > 0 ? nodes : [paragraph()];
}

/** Returns the blocks of a text in Markdown. Tags that are not known stay as text. */
export function fromMarkdown(text: string): Node[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const nodes: Node[] = [];
  let plain: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    nodes.push(...plainBlocks(plain.join("\n")));
    plain = [];
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    const opening = fence === undefined ? OPENING.exec(line) : null;
    const end = opening ? endOf(lines, index, opening[1]) : -1;
    if (!opening || end < 0) {
      plain.push(line);
      continue;
    }
    flush();
    nodes.push(...container(opening[1] ?? "details", opening[2] ?? "", lines.slice(index + 1, end).join("\n")));
    index = end;
  }
  flush();
  return filled(nodes);
}

function endOf(lines: string[], start: number, name: string | undefined): number {
  const [open, close] = name
    ? [new RegExp(`^\\s*\\{%\\s*${name}\\b`), new RegExp(`^\\s*\\{%\\s*end${name}\\b`)]
    : [/^<details[^>]*>/, /^<\/details>/];
  let depth = 0;
  for (let index = start; index < lines.length; index += 1) {
    if (open.test(lines[index] ?? "")) depth += 1;
    if (close.test(lines[index] ?? "")) depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`${name}="((?:[^"\\\\]|\\\\.)*)"`).exec(attributes)?.[1]?.replace(/\\"/g, '"');
}

function container(name: string, attributes: string, body: string): Node[] {
  const inner = () => fromMarkdown(body);
  switch (name) {
    case "hint": {
      const style = attribute(attributes, "style") ?? "info";
      return [schema.node("hint", { style: ["info", "success", "warning", "danger"].includes(style) ? style : "info" }, inner())];
    }
    case "if":
      return [schema.node("condition", { expression: attributes.trim() }, inner())];
    case "code": {
      const code = inner();
      const attrs = { title: attribute(attributes, "title") ?? "", lineNumbers: attribute(attributes, "lineNumbers") === "true" };
      return code.map((node) => (node.type.name === "code" ? schema.node("code", { ...node.attrs, ...attrs }, node.content) : node));
    }
    case "tab":
      return [schema.node("tab", { title: attribute(attributes, "title") ?? "" }, inner())];
    case "step":
    case "column":
      return [schema.node(name, null, inner())];
    case "details": {
      const summary = /<summary>([\s\S]*?)<\/summary>/.exec(body);
      const title = summary?.[1]?.trim() ?? "";
      const rest = summary ? body.slice(summary.index + summary[0].length) : body;
      const line = title ? plainBlocks(title)[0]?.content : undefined;
      return [schema.node("expandable", null, [schema.node("expandable_title", null, line), schema.node("expandable_body", null, fromMarkdown(rest))])];
    }
    default: {
      const parts = inner().filter(({ type }) => type.name === PARTS[name]);
      return parts.length > 0 ? [schema.node(name, null, parts)] : inner();
    }
  }
}

function plainBlocks(text: string): Node[] {
  if (text.trim() === "") return [];
  const reader = new Reader(text);
  return reader.blocks(markdownLanguage.parser.parse(text).topNode);
}

/** Reads the blocks of one text by its syntax tree. */
class Reader {
  constructor(private readonly text: string) {}

  blocks(parent: SyntaxNode): Node[] {
    const nodes: Node[] = [];
    for (let node = parent.firstChild; node; node = node.nextSibling) nodes.push(...this.block(node));
    return nodes;
  }

  private source({ from, to }: { from: number; to: number }): string {
    return this.text.slice(from, to);
  }

  private block(node: SyntaxNode): Node[] {
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
    if (heading) {
      const level = Math.min(3, Math.max(1, Number(heading[1]) - 1));
      return [schema.node("heading", { level }, this.inline(node))];
    }
    switch (node.name) {
      case "Paragraph":
        return this.paragraph(node);
      case "BulletList":
      case "OrderedList":
        return [this.list(node)];
      case "Blockquote":
        return [schema.node("blockquote", null, filled(this.blocks(node)))];
      case "HorizontalRule":
        return [schema.node("divider")];
      case "FencedCode":
      case "CodeBlock":
        return [this.code(node)];
      case "Table":
        return [this.table(node)];
      case "HTMLBlock":
      case "CommentBlock":
        return [paragraph([schema.text(this.source(node))])];
      default:
        return [];
    }
  }

  private paragraph(node: SyntaxNode): Node[] {
    const only = node.firstChild;
    if (only?.name === "Image" && only.from === node.from && only.to === node.to) {
      return [schema.node("atom", { json: imagesOf(this.pictureOf(only, /^(https?:|data:image\/)/i), this.altOf(only)) })];
    }
    return [paragraph(this.inline(node))];
  }

  private list(node: SyntaxNode): Node {
    const items: SyntaxNode[] = [];
    for (let item = node.firstChild; item; item = item.nextSibling) if (item.name === "ListItem") items.push(item);
    const tasks = items.map((item) => item.getChild("Task"));
    const isTasks = items.length > 0 && tasks.every(Boolean);
    const made = items.map((item, index) => {
      const task = tasks[index];
      const content = this.blocks(item);
      if (task && isTasks) content.unshift(paragraph(this.inline(task)));
      if (content[0]?.type.name !== "paragraph") content.unshift(paragraph());
      const marker = task?.getChild("TaskMarker");
      return schema.node(isTasks ? "task_item" : "list_item", isTasks ? { checked: marker ? /x/i.test(this.source(marker)) : false } : null, content);
    });
    if (isTasks) return schema.node("task_list", null, made);
    const first = node.name === "OrderedList" ? Number.parseInt(this.source(node), 10) : 1;
    return schema.node(node.name === "OrderedList" ? "ordered_list" : "bullet_list", first === 1 || Number.isNaN(first) ? null : { start: first }, made);
  }

  private code(node: SyntaxNode): Node {
    const parts = node.getChildren("CodeText");
    const text = parts.map((part) => this.source(part)).join("");
    const info = node.getChild("CodeInfo");
    return schema.node("code", { syntax: info ? (this.source(info).split(/\s/)[0] ?? "") : "" }, text ? schema.text(text) : undefined);
  }

  private table(node: SyntaxNode): Node {
    const rows = [...node.getChildren("TableHeader"), ...node.getChildren("TableRow")];
    const count = Math.max(1, ...rows.map((row) => row.getChildren("TableCell").length));
    const made = rows.map((row, index) => {
      const cells = row.getChildren("TableCell");
      const content = Array.from({ length: count }, (_, at) => {
        const cell = cells[at];
        const text = paragraph(cell ? this.inline(cell) : undefined);
        return index === 0 ? schema.node("table_header", { definition: TEXT_COLUMN }, text) : schema.node("table_cell", null, text);
      });
      return schema.node("table_row", null, content);
    });
    return schema.node("table", null, made);
  }

  private urlOf(node: SyntaxNode): string {
    const url = node.getChild("URL");
    return url ? this.source(url).replace(/^<|>$/g, "") : "";
  }

  /** Returns the reference of a picture. One whose address matches becomes a file of the space. */
  private pictureOf(node: SyntaxNode, taken: RegExp): PastedRef {
    const url = this.urlOf(node);
    return taken.test(url) ? pastedRef(url) : { kind: "url", url };
  }

  private altOf(node: SyntaxNode): string {
    return /^!\[([^\]]*)\]/.exec(this.source(node))?.[1] ?? "";
  }

  private inline(parent: SyntaxNode, marks: readonly Mark[] = []): Node[] {
    const nodes: Node[] = [];
    let at = parent.from;
    const add = (text: string) => {
      const shown = text.replace(/[ \t]*\n[ \t]*/g, " ");
      if (shown) nodes.push(schema.text(shown, marks));
    };
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      add(this.text.slice(at, node.from));
      at = node.to;
      nodes.push(...this.element(node, marks));
    }
    add(this.text.slice(at, parent.to));
    return trimmed(nodes);
  }

  private element(node: SyntaxNode, marks: readonly Mark[]): Node[] {
    const withMark = (name: string, attrs?: Record<string, unknown>) => this.inline(node, schema.mark(name, attrs).addToSet(marks));
    switch (node.name) {
      case "StrongEmphasis":
        return withMark("bold");
      case "Emphasis":
        return withMark("italic");
      case "Strikethrough":
        return withMark("strikethrough");
      case "InlineCode": {
        const text = this.source(node).replace(/^`+ ?| ?`+$/g, "");
        return text ? [schema.text(text, schema.mark("code_mark").addToSet(marks))] : [];
      }
      case "Link":
        return withMark("link", { ref: { kind: "url", url: this.urlOf(node) } });
      case "Image": {
        const json = { object: "inline", type: "inline-image", isVoid: true, data: { ref: this.pictureOf(node, /^data:image\//i), alt: this.altOf(node) } };
        return [schema.node("inline_atom", { json }, undefined, marks)];
      }
      case "Autolink":
        return this.linked(this.urlOf(node), marks);
      case "URL":
        return node.parent?.name === "Link" || node.parent?.name === "Image" ? [] : this.linked(this.source(node), marks);
      case "HardBreak":
        return [schema.text("\n", marks)];
      case "Escape":
        return [schema.text(this.source(node).slice(1), marks)];
      case "Entity":
        return [schema.text(new DOMParser().parseFromString(this.source(node), "text/html").body.textContent || this.source(node), marks)];
      case "HTMLTag":
      case "Comment":
        return [schema.text(this.source(node), marks)];
      default:
        // Signs, titles of links and numbers of references are not part of the text.
        return [];
    }
  }

  private linked(url: string, marks: readonly Mark[]): Node[] {
    return url ? [schema.text(url, schema.mark("link", { ref: { kind: "url", url } }).addToSet(marks))] : [];
  }
}

/** Returns a text without space at its ends. */
function trimmed(nodes: Node[]): Node[] {
  const found = [...nodes];
  const cut = (index: number, pattern: RegExp) => {
    const node = found[index];
    if (!node?.isText || node.text === "\n") return;
    const text = (node.text ?? "").replace(pattern, "");
    if (text === node.text) return;
    if (text) found[index] = schema.text(text, node.marks);
    else found.splice(index, 1);
  };
  if (found.length > 0 && found.every(({ marks }) => marks.length === 0)) {
    cut(0, /^\s+/);
    cut(found.length - 1, /\s+$/);
  }
  return found;
}
