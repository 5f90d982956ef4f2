import type { Node } from "prosemirror-model";

import type { JsonNode } from "./document";

/**
 * The JSON that nodes were read from. Nodes of the editor never change, so a node that is still in
 * the document has exactly this JSON, whatever the editor knows of it.
 */
export const read = new WeakMap<Node, JsonNode>();

/** The types of lists of the document model, and those of the editor. */
export const LISTS: Record<string, string> = { "list-unordered": "bullet_list", "list-ordered": "ordered_list", "list-tasks": "task_list" };
/** The types of other blocks with children. */
export const CONTAINERS: Record<string, string> = {
  blockquote: "blockquote",
  tabs: "tabs",
  stepper: "stepper",
  "stepper-step": "step",
  columns: "columns",
  column: "column",
};
