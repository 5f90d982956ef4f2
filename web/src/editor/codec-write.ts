import type { Fragment, Mark, Node } from "prosemirror-model";

import { CONTAINERS, LISTS, read } from "./codec-types";
import { linesOf } from "./codec-code";
import { encodeTable } from "./codec-tables";
import { isIncomplete, isOnlyPasted } from "./images";
import type { JsonDocument, JsonFragment, JsonLeaf, JsonMark, JsonNode } from "./document";

const TYPES: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...LISTS, ...CONTAINERS }).map(([json, node]) => [node, json])),
  paragraph: "paragraph",
  hint: "hint",
  code: "code",
  divider: "divider",
  tab: "tabs-item",
  condition: "if",
  list_item: "list-item",
  task_item: "list-item",
};
/** Returns a new key for a block or a part of it. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the document of the API for a document of the editor. Unchanged blocks are the same as before. */
export function encode(doc: Node, data: Record<string, unknown> = {}): JsonDocument {
  const writer = new Writer();
  const nodes: JsonNode[] = [];
  doc.forEach((node, _, index) => {
    // The empty paragraph at the end is there to write in.
    const isRest = index === doc.childCount - 1 && node.type.name === "paragraph" && node.childCount === 0 && !read.has(node);
    if (!isRest && isSaved(node)) nodes.push(writer.block(node));
  });
  return { object: "document", data, nodes };
}

function encodeMark(mark: Mark): JsonMark {
  const name = mark.type.name === "code_mark" ? "code" : mark.type.name;
  if (name !== "color") return { object: "mark", type: name };
  const data = Object.fromEntries(Object.entries(mark.attrs).filter(([, value]) => value !== null));
  return { object: "mark", type: name, data };
}

/** Returns `false` for blocks that are about nothing yet. */
export function isSaved(node: Node): boolean {
  return node.type.name !== "cell_value" && (node.type.name !== "atom" || read.has(node) || !isIncomplete(node.attrs["json"] as JsonNode));
}

/** Writes one document. Each key is used once, also if a block was divided. */
class Writer {
  private readonly used = new Set<string>();

  block(node: Node): JsonNode {
    const same = read.get(node);
    if (same && !this.repeats(same)) {
      this.use(same);
      return same;
    }
    const written = this.written(node);
    if (!same) read.set(node, written);
    return written;
  }

  private written(node: Node): JsonNode {
    if (node.type.name === "atom") return { ...(node.attrs["json"] as JsonNode), key: this.key((node.attrs["json"] as JsonNode).key) };
    const rest = node.attrs["rest"] as JsonNode | null;
    const base: JsonNode = { object: "block", ...rest, type: this.type(node), key: this.key(node.attrs["key"] as string | null) };
    const data = { ...rest?.data };
    switch (node.type.name) {
      case "paragraph":
        if (node.attrs["align"]) data["align"] = node.attrs["align"];
        return { ...base, isVoid: false, data, nodes: this.inline(node.content) };
      case "heading":
        return { ...base, isVoid: false, data, nodes: this.inline(node.content) };
      case "divider":
        return { ...base, isVoid: true, data };
      case "code":
        return this.code(node, base, data);
      case "expandable":
        return this.expandable(node, base, data);
      case "table":
        return this.table(node, base, data);
      default:
        return { ...base, isVoid: false, data: this.data(node, data), nodes: this.children(node) };
    }
  }

  private type(node: Node): string {
    return node.type.name === "heading" ? `heading-${node.attrs["level"]}` : (TYPES[node.type.name] ?? node.type.name);
  }

  private data(node: Node, data: Record<string, unknown>): Record<string, unknown> {
    const { style, title, checked, start, expression } = node.attrs as Record<string, unknown>;
    switch (node.type.name) {
      case "hint":
        return { ...data, style };
      case "tab":
        return { ...data, title };
      case "task_item":
        return { ...data, checked };
      case "condition":
        return { ...data, expression };
      case "ordered_list":
        return start === null ? data : { ...data, start };
      default:
        return data;
    }
  }

  private children(node: Node): JsonNode[] {
    const nodes: JsonNode[] = [];
    const isItem = node.type.name === "list_item" || node.type.name === "task_item";
    node.forEach((child, _, index) => {
      // The editor puts an empty text at the beginning of an item that begins with another block.
      const isAdded = isItem && index === 0 && node.childCount > 1 && child.childCount === 0 && !read.has(child);
      if (!isAdded && isSaved(child)) nodes.push(this.block(child));
    });
    return nodes;
  }

  private code(node: Node, base: JsonNode, data: Record<string, unknown>): JsonNode {
    const { syntax, title, lineNumbers, wraps, lines } = node.attrs as Record<string, unknown>;
    const overflow = wraps === true ? "wrap" : data["overflow"] === "wrap" ? undefined : data["overflow"];
    for (const [name, value] of Object.entries({ syntax, title, lineNumbers, overflow })) {
      if (value) data[name] = value;
      else delete data[name];
    }
    const make = (text: string): JsonNode => {
      return { object: "block", type: "code-line", key: newKey(), isVoid: false, data: {}, nodes: [textNode([leafOf(text, [])])] };
    };
    return { ...base, isVoid: false, data, nodes: linesOf(node.textContent, (lines as JsonNode[] | null) ?? [], make) };
  }

  private expandable(node: Node, base: JsonNode, data: Record<string, unknown>): JsonNode {
    const [title, body] = [node.child(0), node.child(1)];
    const line: JsonNode = { object: "block", type: "paragraph", key: newKey(), isVoid: false, data: {}, nodes: this.inline(title.content) };
    const part = (name: string, json: JsonFragment | null, nodes: JsonNode[]): JsonFragment => ({
      object: "fragment",
      key: newKey(),
      fragment: name,
      type: name,
      ...json,
      nodes,
    });
    const fragments = [
      part("expandable-title", title.attrs["json"] as JsonFragment | null, [line]),
      part("expandable-body", body.attrs["json"] as JsonFragment | null, this.children(body)),
    ];
    return { ...base, isVoid: true, data, fragments };
  }

  private table(node: Node, base: JsonNode, before: Record<string, unknown>): JsonNode {
    const isFree = (name: string) => {
      const isNew = !this.used.has(name);
      this.used.add(name);
      return isNew;
    };
    const { data, fragments } = encodeTable(node, before, { newKey, children: (cell) => this.children(cell), isFree });
    return { ...base, isVoid: true, data, fragments };
  }

  /** Returns inline elements: runs of text, links with their texts, and others. */
  private inline(content: Fragment): JsonNode[] {
    const nodes: JsonNode[] = [];
    let leaves: JsonLeaf[] = [];
    let target = nodes;
    let wrapper: Mark | undefined;
    const flush = () => {
      if (leaves.length > 0) target.push(textNode(leaves));
      leaves = [];
    };
    content.forEach((node) => {
      const around = node.marks.find(({ type }) => type.name === "link" || type.name === "annotation");
      if (around !== wrapper && !(around && wrapper && around.eq(wrapper))) {
        flush();
        wrapper = around;
        target = nodes;
        if (around) {
          target = [];
          nodes.push(this.wrapper(around, target));
        }
      }
      if (node.isText) {
        leaves.push(leafOf(node.text ?? "", node.marks));
      } else if (isLeaf(node.attrs["json"])) {
        leaves.push(node.attrs["json"]);
      } else if (!isOnlyPasted((node.attrs["json"] as JsonNode).data?.["ref"])) {
        flush();
        const json = node.attrs["json"] as JsonNode;
        target.push({ ...json, key: this.key(json.key) });
      }
    });
    flush();
    return nodes.length > 0 ? nodes : [textNode([leafOf("", [])])];
  }

  private wrapper(mark: Mark, nodes: JsonNode[]): JsonNode {
    const key = this.key(mark.attrs["key"] as string | null);
    if (mark.type.name === "annotation") {
      const fragments = mark.attrs["fragments"] as JsonFragment[];
      return { object: "inline", type: "annotation", key, isVoid: false, data: {}, fragments, nodes };
    }
    return { object: "inline", type: "link", key, isVoid: false, data: { ref: mark.attrs["ref"] as unknown }, nodes };
  }

  private key(given: string | null | undefined): string {
    const key = given !== null && given !== undefined && !this.used.has(given) ? given : newKey();
    this.used.add(key);
    return key;
  }

  private repeats(json: JsonNode): boolean {
    return json.key !== undefined && this.used.has(json.key);
  }

  private use({ key, nodes }: JsonNode): void {
    if (key !== undefined) this.used.add(key);
    for (const node of nodes ?? []) if (node.object === "block") this.use(node);
  }
}

function isLeaf(json: unknown): json is JsonLeaf {
  return (json as { object?: string }).object === "leaf";
}

function textNode(leaves: JsonLeaf[]): JsonNode {
  return { object: "text", key: newKey(), leaves };
}

function leafOf(text: string, marks: readonly Mark[]): JsonLeaf {
  const own = marks.filter(({ type }) => type.name !== "link" && type.name !== "annotation");
  return { object: "leaf", text, marks: own.map(encodeMark) };
}
