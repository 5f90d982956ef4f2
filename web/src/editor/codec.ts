import type { Mark, Node } from "prosemirror-model";

import { lineText } from "./codec-code";
import { decodeTable } from "./codec-tables";
import { CONTAINERS, LISTS, read } from "./codec-types";
import type { JsonDocument, JsonMark, JsonNode } from "./document";
import { schema } from "./schema";

export { encode, newKey } from "./codec-write";

const MARKS: Record<string, string> = { code: "code_mark" };

/** Returns the document of the editor for a document of the API. */
export function decode(document: JsonDocument | undefined): Node {
  const nodes = (document?.nodes ?? []).map(block);
  return schema.node("doc", null, nodes.length > 0 ? nodes : [schema.node("paragraph")]);
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
    if (type === "table") return decodedTable(json, attrs);
    if (type === "if") return checked(schema.node("condition", { ...attrs, expression: data["expression"] ?? "" }, filled(nodes.map(block))));
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
  const texts = lines.map(lineText);
  if (texts.includes(undefined)) return undefined;
  const text = texts.join("\n");
  const { syntax = "", title = "", lineNumbers = false, overflow } = json.data ?? {};
  return schema.node("code", { ...attrs, syntax, title, lineNumbers, wraps: overflow === "wrap", lines }, text ? schema.text(text) : undefined);
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

function decodedTable(json: JsonNode, attrs: object): Node | undefined {
  const table = decodeTable(json, attrs, (nodes) => filled(nodes.map(block)));
  return table && checked(table);
}

function inline(nodes: JsonNode[], marks: readonly Mark[] = []): Node[] {
  const found: Node[] = [];
  for (const node of nodes) {
    if (node.object === "text") {
      for (const leaf of node.leaves ?? []) {
        if (leaf.markup !== undefined) found.push(schema.node("inline_atom", { json: leaf }, undefined, marks));
        else if (leaf.text) found.push(schema.text(leaf.text, leaf.marks.reduce((all, mark) => decodeMark(mark).addToSet(all), marks)));
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
