import type { Fragment, Node, Slice } from "prosemirror-model";

import { emojiText } from "../space/emoji-text";
import type { JsonNode } from "./document";
import type { Ref } from "./view-parts";

const SIGNS: Record<string, string> = { bold: "**", italic: "_", strikethrough: "~~" };

function addressOf(ref: Ref | undefined): string {
  return ref?.url ?? (ref?.page !== undefined ? `/pages/${ref.page}` : ref?.file !== undefined ? `/files/${ref.file}` : "");
}

function inlineAtom({ type, data = {} }: JsonNode): string {
  if (type === "emoji") return emojiText(String(data["code"]));
  if (type === "inline-math") return `$$${String(data["formula"])}$$`;
  if (type === "expression") return `<code class="expression">${String(data["expression"])}</code>`;
  if (type === "button") return `[${String(data["label"])}](${addressOf(data["ref"] as Ref)})`;
  if (type === "inline-image") return `![${String(data["alt"] ?? "")}](${addressOf(data["ref"] as Ref)})`;
  return addressOf(data["ref"] as Ref | undefined);
}

function inline(content: Fragment): string {
  let text = "";
  content.forEach((node) => {
    let own = node.isText ? (node.text ?? "") : inlineAtom(node.attrs["json"] as JsonNode);
    for (const mark of [...node.marks].reverse()) {
      const sign = SIGNS[mark.type.name];
      if (mark.type.name === "code_mark") own = `\`${own}\``;
      else if (sign && own.trim() !== "") own = own.replace(/^(\s*)([\s\S]*?)(\s*)$/, `$1${sign}$2${sign}$3`);
      else if (mark.type.name === "link") own = `[${own}](${addressOf(mark.attrs["ref"] as Ref)})`;
    }
    text += own;
  });
  return text.replace(/\n/g, "\\\n");
}

function indented(text: string, first: string): string {
  const rest = " ".repeat(first.length);
  return text
    .split("\n")
    .map((line, index) => (index === 0 ? first + line : line && rest + line))
    .join("\n");
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => (line ? `> ${line}` : ">"))
    .join("\n");
}

function tag(name: string, attributes: string, body: string): string {
  return `{% ${name}${attributes} %}\n${body}\n{% end${name} %}`;
}

function table(node: Node): string {
  const rows: string[] = [];
  node.forEach((row, _, index) => {
    const cells: string[] = [];
    row.forEach((cell) => {
      const value: unknown = cell.firstChild?.attrs["value"];
      const text = cell.firstChild?.type.name === "cell_value" ? String(value ?? "") : markdownOf(cell.content);
      cells.push(text.replace(/\n+/g, " ").replace(/\|/g, "\\|"));
    });
    rows.push(`| ${cells.join(" | ")} |`);
    if (index === 0) rows.push(`| ${cells.map(() => "---").join(" | ")} |`);
  });
  return rows.join("\n");
}

function atom({ type, data = {}, nodes = [] }: JsonNode): string {
  const props = data["props"] as Record<string, unknown> | undefined;
  if (type === "images") return nodes.map((image) => `![${String(image.data?.["alt"] ?? "")}](${addressOf(image.data?.["ref"] as Ref)})`).join("\n");
  if (type === "math") return `$$\n${String(data["formula"])}\n$$`;
  if (type === "embed") return `{% embed url="${String(data["url"])}" %}`;
  return typeof props?.["markdown"] === "string" ? props["markdown"] : addressOf(data["ref"] as Ref | undefined);
}

function block(node: Node): string {
  const { attrs } = node;
  const items = (sign: (item: Node, index: number) => string) => {
    const lines: string[] = [];
    node.forEach((item, _, index) => lines.push(indented(markdownOf(item.content), sign(item, index))));
    return lines.join("\n");
  };
  switch (node.type.name) {
    case "heading":
      return `${"#".repeat((attrs["level"] as number) + 1)} ${inline(node.content)}`;
    case "bullet_list":
      return items(() => "* ");
    case "ordered_list":
      return items((_, index) => `${((attrs["start"] as number | null) ?? 1) + index}. `);
    case "task_list":
      return items((item) => `* [${item.attrs["checked"] === true ? "x" : " "}] `);
    case "blockquote":
      return quoted(markdownOf(node.content));
    case "hint":
      return tag("hint", ` style="${String(attrs["style"])}"`, markdownOf(node.content));
    case "condition":
      return tag("if", ` ${String(attrs["expression"])}`, markdownOf(node.content));
    case "code":
      return `\`\`\`${String(attrs["syntax"])}\n${node.textContent}\n\`\`\``;
    case "divider":
      return "***";
    case "tab":
      return tag("tab", ` title="${String(attrs["title"])}"`, markdownOf(node.content));
    case "tabs":
    case "stepper":
    case "columns":
    case "step":
    case "column":
      return tag(node.type.name, "", markdownOf(node.content));
    case "expandable":
      return `<details>\n\n<summary>${inline(node.child(0).content)}</summary>\n\n${markdownOf(node.child(1).content)}\n\n</details>`;
    case "table":
      return table(node);
    case "atom":
      return atom(node.attrs["json"] as JsonNode);
    default:
      return node.isTextblock ? inline(node.content) : markdownOf(node.content);
  }
}

/** Returns blocks or a text as Markdown, for the clipboard. */
export function markdownOf(content: Fragment): string {
  if (content.firstChild?.isInline) return inline(content);
  const parts: string[] = [];
  content.forEach((node) => parts.push(block(node)));
  return parts.join("\n\n");
}

/** Returns what is copied as Markdown. A part of one text is that text alone. */
export function copied({ content, openStart }: Slice): string {
  const only = content.childCount === 1 ? content.firstChild : null;
  if (openStart === 0 || !only?.isTextblock) return markdownOf(content);
  return only.type.spec.code ? only.textContent : inline(only.content);
}
