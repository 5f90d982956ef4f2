import type { SiteSpace, Structure } from "../queries";
import type { Schemas } from "../../api/client";

type Section = Schemas["SiteSection"];
type Group = Schemas["SiteSectionGroup"];

/** An item of a structure with the items in it. */
export type Node =
  | { kind: "site-section-group"; id: string; title: string; item: Group; children: Node[] }
  | { kind: "site-section"; id: string; title: string; item: Section; children: Node[] }
  | { kind: "site-space"; id: string; title: string; item: SiteSpace; children: Node[] };

/** A place to which an item can be moved: beside another item, or into a group. */
export type Spot = { before: Node } | { after: Node } | { into: Node };

export type Direction = "up" | "down" | "in" | "out";

/** The surroundings of an item. */
export interface Around {
  node: Node;
  parent: Node | undefined;
  siblings: readonly Node[];
  position: number;
}

export type Index = ReadonlyMap<string, Around>;

function ofSpace(item: SiteSpace): Node {
  return { kind: "site-space", id: item.id, title: item.title, item, children: [] };
}

function ofItem(item: Section | Group): Node {
  if (item.object === "site-section") {
    return { kind: "site-section", id: item.id, title: item.title, item, children: item.siteSpaces.map(ofSpace) };
  }
  return { kind: "site-section-group", id: item.id, title: item.title, item, children: item.children.map(ofItem) };
}

/** Returns the items of a structure as a tree. */
export function nodesOf(structure: Structure): Node[] {
  return structure.type === "sections" ? structure.structure.map(ofItem) : structure.structure.map(ofSpace);
}

/** Returns the surroundings of all items by their ids. */
export function indexOf(nodes: readonly Node[]): Index {
  const index = new Map<string, Around>();
  const add = (siblings: readonly Node[], parent: Node | undefined) => {
    siblings.forEach((node, position) => {
      index.set(node.id, { node, parent, siblings, position });
      add(node.children, node);
    });
  };
  add(nodes, undefined);
  return index;
}

/** True if an item is another one, or is inside of it. */
function isWithin(index: Index, id: string, outer: string): boolean {
  for (let at: string | undefined = id; at !== undefined; at = index.get(at)?.parent?.id) if (at === outer) return true;
  return false;
}

/** Returns all items of a kind in the order of the tree. */
export function allOf<K extends Node["kind"]>(nodes: readonly Node[], kind: K): Extract<Node, { kind: K }>[] {
  return nodes.flatMap((node) => [
    ...(node.kind === kind ? [node as Extract<Node, { kind: K }>] : []),
    ...allOf(node.children, kind),
  ]);
}

/** Returns the place at the end of a group. Only sections can be moved into a group that is empty. */
function endOf(group: Node, moved: Node): Spot | undefined {
  const last = group.children.findLast(({ id }) => id !== moved.id);
  if (last) return { after: last };
  return moved.kind === "site-section" && group.children.length === 0 ? { into: group } : undefined;
}

/** Returns the place to which keys move an item, or `undefined` if there is none. */
export function neighbour(nodes: readonly Node[], index: Index, id: string, direction: Direction): Spot | undefined {
  const around = index.get(id);
  if (!around) return undefined;
  const { node, parent, siblings, position } = around;
  const [previous, next] = [siblings[position - 1], siblings[position + 1]];
  if (direction === "up" && previous) return { before: previous };
  if (direction === "down" && next) return { after: next };
  if (node.kind === "site-space") {
    if (!parent || direction === "in" || direction === "out") return undefined;
    const sections = allOf(nodes, "site-section");
    const at = sections.findIndex(({ id }) => id === parent.id);
    if (direction === "up") {
      const last = sections[at - 1]?.children.at(-1);
      return last && { after: last };
    }
    const first = sections[at + 1]?.children[0];
    return first && { before: first };
  }
  if (direction === "in" && previous?.kind === "site-section-group") return endOf(previous, node);
  if (direction === "out" && parent) return { after: parent };
  return undefined;
}

/** Returns the place of an item that is dropped on, before or after another one, if it can be there. */
export function spotOfDrop(index: Index, id: string, target: string, position: "before" | "after" | "on"): Spot | undefined {
  const moved = index.get(id)?.node;
  const beside = index.get(target)?.node;
  if (!moved || !beside || isWithin(index, target, id)) return undefined;
  if (moved.kind === "site-space") {
    if (position === "on") {
      const last = beside.kind === "site-section" ? beside.children.findLast((one) => one.id !== id) : undefined;
      return last && { after: last };
    }
    return beside.kind === "site-space" ? { [position]: beside } as Spot : undefined;
  }
  if (position === "on") return beside.kind === "site-section-group" ? endOf(beside, moved) : undefined;
  return beside.kind === "site-space" ? undefined : ({ [position]: beside } as Spot);
}

/** Returns the place at which an item is now, so that a move can be undone. */
export function spotOf(index: Index, id: string): Spot | undefined {
  const around = index.get(id);
  if (!around) return undefined;
  const { parent, siblings, position } = around;
  const [previous, next] = [siblings[position - 1], siblings[position + 1]];
  if (next) return { before: next };
  if (previous) return { after: previous };
  return parent?.kind === "site-section-group" && around.node.kind === "site-section" ? { into: parent } : undefined;
}

/** Returns the tree after a move. */
export function moved(nodes: readonly Node[], id: string, spot: Spot): Node[] {
  const node = indexOf(nodes).get(id)?.node;
  if (!node) return [...nodes];
  const place = (siblings: readonly Node[]): Node[] =>
    siblings.flatMap((one) => {
      if (one.id === id) return [];
      const inner = "into" in spot && spot.into.id === one.id ? [...place(one.children), node] : place(one.children);
      const kept = { ...one, children: inner } as Node;
      if ("before" in spot && spot.before.id === one.id) return [node, kept];
      if ("after" in spot && spot.after.id === one.id) return [kept, node];
      return [kept];
    });
  return place(nodes);
}
