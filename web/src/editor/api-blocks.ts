import type { Node } from "prosemirror-model";

import { idOf, idOfRequest, type Part, type PartKind } from "../openapi/parts";
import { keyOf } from "./block-keys";
import type { JsonNode } from "./document";
import type { Ref } from "./view-parts";

/** The types of blocks that show parts of a specification. */
export const TYPES: Record<PartKind, string> = { operation: "openapi-operation", webhook: "openapi-webhook", model: "openapi-schemas" };

/** What a block shows of a specification. */
export interface ApiBlock {
  kind: PartKind;
  /** The slug of the specification; absent in the older block, which has the address of a file. */
  spec?: string;
  /** The address of the older block. */
  address?: string;
  parts: readonly Shown[];
}

/** What is chosen from a specification: parts for a new block, or others for one that is there. */
export interface Picked {
  kind: PartKind;
  json?: JsonNode | undefined;
}

/** A part that a block shows. */
export interface Shown {
  /** The id of the part, as `idOf` returns it. */
  id: string;
  /** The path of an operation, or the name of a webhook or a model. */
  name: string;
  /** The HTTP method in small letters; absent for a model. */
  method?: string;
}

const KINDS: Record<string, PartKind> = { "openapi-operation": "operation", swagger: "operation", "openapi-webhook": "webhook", "openapi-schemas": "model" };

function request(name: unknown, method: unknown): Shown[] {
  if (typeof name !== "string" || name === "") return [];
  const small = typeof method === "string" ? method.toLowerCase() : "";
  return [{ id: idOfRequest(small, name), name, method: small }];
}

/** Returns what a block shows of a specification; `undefined` if it is another kind of block. */
export function apiBlockOf({ type = "", data = {} }: JsonNode): ApiBlock | undefined {
  const kind = KINDS[type];
  if (kind === undefined) return undefined;
  const ref = data["ref"] as (Ref & { spec?: string }) | undefined;
  const schemas = Array.isArray(data["schemas"]) ? data["schemas"].filter((name): name is string => typeof name === "string") : [];
  const parts = kind === "model" ? schemas.map((name) => ({ id: name, name })) : request(data[kind === "operation" ? "path" : "name"], data["method"]);
  return { kind, parts, ...(ref?.spec !== undefined && { spec: ref.spec }), ...(ref?.url !== undefined && { address: ref.url }) };
}

/** Returns the parts of a list that a block can show: one operation, one webhook, or several models. */
export function shownOf(part: Part): Shown {
  if (part.kind === "model") return { id: part.name, name: part.name };
  return { id: idOf(part), name: part.kind === "operation" ? part.path : part.name, method: part.method };
}

/** Returns the JSON of a block that shows parts of a specification, in the place of an earlier one. */
export function apiJson({ kind, spec = "", parts }: ApiBlock, before?: JsonNode): JsonNode {
  const type = TYPES[kind];
  const ref = { kind: "openapi", spec };
  const [first] = parts;
  const own =
    kind === "model"
      ? { schemas: parts.map(({ name }) => name), grouped: before?.type === type ? before.data?.["grouped"] === true : true }
      : { [kind === "operation" ? "path" : "name"]: first?.name ?? "", method: first?.method ?? "" };
  // The id in `meta` is made from the operation.
  return { object: "block", type, isVoid: true, data: { ...own, ref }, ...(before?.key !== undefined && { key: before.key }) };
}

/** Returns the position of a block that was read earlier; `undefined` if it is not there any more. */
export function positionOf(doc: Node, json: JsonNode): number | undefined {
  let found: number | undefined;
  doc.descendants((node, at) => {
    if (found !== undefined) return false;
    if (node.type.name !== "atom") return !node.isTextblock;
    const now = node.attrs["json"] as JsonNode;
    const isSame = json.key === undefined ? now === json : keyOf(node) === json.key;
    if (isSame && apiBlockOf(now)) found = at;
    return false;
  });
  return found;
}
