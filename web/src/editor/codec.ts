import { Fragment, type Mark, type Node } from "prosemirror-model";

import type { JsonDocument, JsonFragment, JsonLeaf, JsonMark, JsonNode } from "./document";
import { schema } from "./schema";

/**
 * The JSON that nodes were read from. Nodes of the editor never change, so a node that is still in
 * the document has exactly this JSON, whatever the editor knows of it.
 */
const read = new WeakMap<Node, JsonNode>();

const LISTS: Record<string, string> = { "list-unordered": "bullet_list", "list-ordered": "ordered_list", "list-tasks": "task_list" };
const CONTAINERS: Record<string, string> = {
  blockquote: "blockquote",
  tabs: "tabs",
  stepper: "stepper",
  "stepper-step": "step",
  columns: "columns",
  column: "column",
};
const TYPES: Record<string, string> = {
  ...Object.fromEntries(Object.entries({ ...LISTS, ...CONTAINERS }).map(([json, node]) => [node, json])),
  paragraph: "paragraph",
  hint: "hint",
  code: "code",
  divider: "divider",
  tab: "tabs-item",
  list_item: "list-item",
  task_item: "list-item",
};
const MARKS: Record<string, string> = { code: "code_mark" };

/** Returns a new key for a block or a part of it. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the document of the editor for a document of the API. */
export function decode(document: JsonDocument | undefined): Node {
  const nodes = (document?.nodes ?? []).map(block);
  return schema.node("doc", null, nodes.length > 0 ? nodes : [schema.node("paragraph")]);
}

/** Returns the document of the API for a document of the editor. Unchanged blocks are the same as before. */
export function encode(doc: Node, data: Record<string, unknown> = {}): JsonDocument {
  const writer = new Writer();
  const nodes: JsonNode[] = [];
  doc.forEach((node, _, index) => {
    // The empty paragraph at the end is there to write in.
    const isRest = index === doc.childCount - 1 && node.type.name === "paragraph" && node.childCount === 0 && !read.has(node);
    if (!isRest) nodes.push(writer.block(node));
  });
  return { object: "document", data, nodes };
}

function block(json: JsonNode): Node {
  const node = known(json) ?? schema.node("atom", { json });
  read.set(node, json);
  return node;
}

function known(json: JsonNode): Node | undefined {
  const { type = "", key = null, data = {}, nodes = [] } = json;
  const attrs = { key, rest: restOf(json) };
  try {
    if (type === "paragraph") return schema.node("paragraph", { ...attrs, align: data["align"] ?? null }, inline(nodes));
    if (/^heading-[123]$/.test(type)) return schema.node("heading", { ...attrs, level: Number(type.slice(-1)) }, inline(nodes));
    if (type === "divider") return schema.node("divider", attrs);
    if (type === "hint") return checked(schema.node("hint", { ...attrs, style: data["style"] }, filled(nodes.map(block))));
    if (type === "code") return code(json, attrs);
    if (type === "expandable") return expandable(json, attrs);
    if (type === "table") return table(json, attrs);
    const list = LISTS[type];
    if (list !== undefined) {
      const item = list === "task_list" ? "task_item" : "list_item";
      const own = list === "ordered_list" ? { ...attrs, start: data["start"] ?? null } : attrs;
      return checked(schema.node(list, own, nodes.map((node) => listItem(item, node))));
    }
    if (type === "tabs-item") return checked(schema.node("tab", { ...attrs, title: data["title"] ?? "" }, filled(nodes.map(block))));
    const container = CONTAINERS[type];
    if (container !== undefined) {
      const children = nodes.map(block);
      const isOuter = container === "tabs" || container === "stepper" || container === "columns";
      return checked(schema.node(container, attrs, isOuter ? children : filled(children)));
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** Returns a node if its children are permitted, and throws a RangeError otherwise. */
function checked(node: Node): Node {
  node.check();
  return node;
}

function filled(nodes: Node[]): Node[] {
  return nodes.length > 0 ? nodes : [schema.node("paragraph")];
}

function restOf(json: JsonNode): JsonNode {
  const { nodes: _nodes, fragments: _fragments, key: _key, ...rest } = json;
  return rest;
}

function listItem(type: string, json: JsonNode): Node {
  const children = (json.nodes ?? []).map(block);
  // An item begins with a text.
  if (children[0]?.type.name !== "paragraph") children.unshift(schema.node("paragraph"));
  const attrs = { key: json.key ?? null, rest: restOf(json) };
  const item = schema.node(type, type === "task_item" ? { ...attrs, checked: json.data?.["checked"] === true } : attrs, children);
  read.set(item, json);
  return item;
}

function code(json: JsonNode, attrs: object): Node | undefined {
  const lines = json.nodes ?? [];
  const isPlain = lines.every(
    (line) => Object.keys(line.data ?? {}).length === 0 && (line.nodes ?? []).every(({ object }) => object === "text"),
  );
  if (!isPlain) return undefined;
  const text = lines.map((line) => (line.nodes ?? []).flatMap(({ leaves = [] }) => leaves.map(({ text }) => text)).join("")).join("\n");
  const { syntax = "", title = "", lineNumbers = false } = json.data ?? {};
  return schema.node("code", { ...attrs, syntax, title, lineNumbers }, text ? schema.text(text) : undefined);
}

function expandable(json: JsonNode, attrs: object): Node | undefined {
  const part = (name: string) => json.fragments?.find(({ fragment }) => fragment === name);
  const [title, body] = [part("expandable-title"), part("expandable-body")];
  const line = title?.nodes?.[0];
  if (!title || !body || title.nodes?.length !== 1 || line?.type !== "paragraph") return undefined;
  return checked(
    schema.node("expandable", attrs, [
      schema.node("expandable_title", { json: title }, inline(line.nodes ?? [])),
      schema.node("expandable_body", { json: body }, filled((body.nodes ?? []).map(block))),
    ]),
  );
}

interface Column {
  id: string;
  title: string;
  type: string;
}

/** Returns a table of texts. Cards and tables with other columns are edited as a whole. */
function table(json: JsonNode, attrs: object): Node | undefined {
  const view = json.data?.["view"] as { type: string; columns: string[]; hideHeader?: boolean };
  const definition = json.data?.["definition"] as Record<string, Column>;
  const records = json.data?.["records"] as Record<string, { orderIndex: string; values: Record<string, unknown> }>;
  const ids = Object.keys(definition);
  const isText = view.type === "grid" && ids.length === view.columns.length && ids.every((id) => definition[id]?.type === "text");
  if (!isText || view.columns.length === 0) return undefined;
  const fragments = new Map((json.fragments ?? []).map((part) => [part.fragment, part]));
  const header = view.columns.map((id) => {
    const title = definition[id]?.title ?? "";
    return schema.node("table_header", { column: id }, schema.node("paragraph", null, title ? schema.text(title) : undefined));
  });
  const rows = Object.entries(records).sort(([, a], [, b]) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const body = rows.map(([record, { values }]) => {
    const cells = view.columns.map((id) => {
      const fragment = fragments.get(String(values[id]));
      return schema.node("table_cell", { column: id, fragment: fragment ?? null }, filled((fragment?.nodes ?? []).map(block)));
    });
    return schema.node("table_row", { record }, cells);
  });
  const first = schema.node("table_row", null, header);
  return checked(schema.node("table", { ...attrs, hideHeader: view.hideHeader === true }, [first, ...body]));
}

function inline(nodes: JsonNode[], marks: readonly Mark[] = []): Node[] {
  const found: Node[] = [];
  for (const node of nodes) {
    if (node.object === "text") {
      for (const leaf of node.leaves ?? []) {
        if (leaf.text) found.push(schema.text(leaf.text, leaf.marks.reduce((all, mark) => decodeMark(mark).addToSet(all), marks)));
      }
    } else if (node.type === "link") {
      const link = schema.mark("link", { ref: node.data?.["ref"], key: node.key ?? null });
      found.push(...inline(node.nodes ?? [], link.addToSet(marks)));
    } else if (node.type === "annotation") {
      const annotation = schema.mark("annotation", { fragments: node.fragments, key: node.key ?? null });
      found.push(...inline(node.nodes ?? [], annotation.addToSet(marks)));
    } else {
      found.push(schema.node("inline_atom", { json: node }, undefined, marks));
    }
  }
  return found;
}

function decodeMark({ type, data }: JsonMark): Mark {
  return schema.mark(MARKS[type] ?? type, data);
}

function encodeMark(mark: Mark): JsonMark {
  const name = mark.type.name === "code_mark" ? "code" : mark.type.name;
  return name === "color" ? { object: "mark", type: name, data: { ...mark.attrs } } : { object: "mark", type: name };
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
    const { style, title, checked, start } = node.attrs as Record<string, unknown>;
    switch (node.type.name) {
      case "hint":
        return { ...data, style };
      case "tab":
        return { ...data, title };
      case "task_item":
        return { ...data, checked };
      case "ordered_list":
        return start === null ? data : { ...data, start };
      default:
        return data;
    }
  }

  private children(node: Node): JsonNode[] {
    const nodes: JsonNode[] = [];
    node.forEach((child) => nodes.push(this.block(child)));
    return nodes;
  }

  private code(node: Node, base: JsonNode, data: Record<string, unknown>): JsonNode {
    const { syntax, title, lineNumbers } = node.attrs as { syntax: string; title: string; lineNumbers: boolean };
    for (const [name, value] of Object.entries({ syntax, title, lineNumbers })) {
      if (value) data[name] = value;
      else delete data[name];
    }
    const nodes = node.textContent.split("\n").map((line): JsonNode => {
      return { object: "block", type: "code-line", key: newKey(), isVoid: false, data: {}, nodes: [textNode([leafOf(line, [])])] };
    });
    return { ...base, isVoid: false, data, nodes };
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

  private table(node: Node, base: JsonNode, data: Record<string, unknown>): JsonNode {
    const before = (data["definition"] ?? {}) as Record<string, Record<string, unknown>>;
    const definition: Record<string, unknown> = {};
    const columns: string[] = [];
    node.child(0).forEach((cell) => {
      const given = cell.attrs["column"] as string | null;
      const id = given !== null && !columns.includes(given) ? given : newKey();
      columns.push(id);
      definition[id] = { textAlignment: "left", type: "text", ...before[id], id, title: cell.textContent };
    });
    const records: Record<string, unknown> = {};
    const fragments: JsonFragment[] = [];
    node.forEach((row, _, index) => {
      if (index === 0) return;
      const given = row.attrs["record"] as string | null;
      const record = given !== null && !Object.hasOwn(records, given) ? given : newKey();
      const values: Record<string, string> = {};
      row.forEach((cell, _, at) => {
        const column = columns[at];
        if (column === undefined) return;
        const known = cell.attrs["fragment"] as JsonFragment | null;
        const fragment = known?.fragment !== undefined && !this.used.has(known.fragment) ? known.fragment : newKey();
        this.used.add(fragment);
        values[column] = fragment;
        fragments.push({ object: "fragment", key: newKey(), ...known, fragment, nodes: this.children(cell) });
      });
      records[record] = { orderIndex: String(index - 1).padStart(8, "0"), values };
    });
    const view = { ...(data["view"] as object | undefined), type: "grid", columns, hideHeader: node.attrs["hideHeader"] === true };
    return { ...base, isVoid: true, data: { ...data, view, records, definition }, fragments };
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
      } else {
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

function textNode(leaves: JsonLeaf[]): JsonNode {
  return { object: "text", key: newKey(), leaves };
}

function leafOf(text: string, marks: readonly Mark[]): JsonLeaf {
  const own = marks.filter(({ type }) => type.name !== "link" && type.name !== "annotation");
  return { object: "leaf", text, marks: own.map(encodeMark) };
}
