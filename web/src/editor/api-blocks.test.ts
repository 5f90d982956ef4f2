import { expect, it } from "vitest";

import type { Part } from "../openapi/parts";
import { apiBlockOf, apiJson, positionOf, shownOf } from "./api-blocks";
import type { JsonNode } from "./document";
import { schema } from "./schema";

const ref = { kind: "openapi", spec: "fleet" };
const block = (type: string, data: Record<string, unknown>, more: Partial<JsonNode> = {}): JsonNode => ({ object: "block", type, isVoid: true, data, ...more });
const blocks: [JsonNode, object][] = [
  [block("openapi-operation", { path: "/ships", method: "get", ref }), { kind: "operation", spec: "fleet", parts: [{ id: "get /ships", name: "/ships", method: "get" }] }],
  [block("openapi-webhook", { name: "sunk", method: "post", ref }), { kind: "webhook", spec: "fleet", parts: [{ id: "post sunk", name: "sunk", method: "post" }] }],
  [block("openapi-schemas", { schemas: ["Ship", "Port"], grouped: true, ref }), { kind: "model", spec: "fleet", parts: [{ id: "Ship", name: "Ship" }, { id: "Port", name: "Port" }] }],
];

it.each(blocks)("reads and writes a block (%#)", (json, shown) => {
  const read = apiBlockOf(json);
  expect(read).toEqual(shown);
  expect(read && apiJson(read)).toEqual(json);
});

it("reads the older block, which has the address of a file", () => {
  const older = block("swagger", { path: "/ships", method: "GET", ref: { kind: "url", url: "https://example.org/o.json" } });
  expect(apiBlockOf(older)).toEqual({ kind: "operation", address: "https://example.org/o.json", parts: [{ id: "get /ships", name: "/ships", method: "get" }] });
});

it.each([block("paragraph", {}), block("integration", { ref })])("takes no other block for one of an API", (json) => {
  expect(apiBlockOf(json)).toBeUndefined();
});

it.each([
  [block("openapi-operation", {}), "operation"],
  [block("openapi-operation", { path: 1, method: null, ref }), "operation"],
  [block("openapi-schemas", { schemas: "Ship", ref }), "model"],
])("shows nothing of an incomplete block (%#)", (json, kind) => {
  expect(apiBlockOf(json)).toMatchObject({ kind, parts: [] });
});

it("keeps the key and the grouping of a block, and not the id of another operation", () => {
  const before = block("openapi-schemas", { schemas: ["Ship"], grouped: false, ref }, { key: "k", meta: { id: "ship" } });
  expect(apiJson({ kind: "model", spec: "fleet", parts: [{ id: "Port", name: "Port" }] }, before)).toEqual(block("openapi-schemas", { schemas: ["Port"], grouped: false, ref }, { key: "k" }));
});

it.each<[Part, object]>([
  [{ kind: "operation", path: "/ships", method: "get", title: "List ships", tags: [], deprecated: false }, { id: "get /ships", name: "/ships", method: "get" }],
  [{ kind: "webhook", name: "sunk", method: "post", title: "Sunk", tags: [], deprecated: true }, { id: "post sunk", name: "sunk", method: "post" }],
  [{ kind: "model", name: "Ship" }, { id: "Ship", name: "Ship" }],
])("refers to a part that was chosen", (part, shown) => {
  expect(shownOf(part)).toEqual(shown);
});

it("finds a block again by its key after others were moved", () => {
  const json = block("openapi-operation", { path: "/ships", method: "get", ref }, { key: "k" });
  const other = block("embed", { url: "" }, { key: "e" });
  const atom = (one: JsonNode) => schema.node("atom", { json: one });
  const changed = { ...json, data: { ...json.data, method: "post" } };
  const doc = schema.node("doc", null, [atom(other), schema.node("hint", null, [schema.node("paragraph", null, schema.text("Words")), atom(changed)])]);
  const at = positionOf(doc, json);
  expect(at === undefined ? undefined : doc.nodeAt(at)?.attrs["json"]).toBe(changed);
  expect(positionOf(doc, { ...json, key: "gone" })).toBeUndefined();
  expect(positionOf(doc, other)).toBeUndefined();
});
