import { use } from "react";

import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { BlockBody } from "./blocks";
import { type Block, isOn, rowsOf, type Side } from "./difference";
import { Rich, TaskBox } from "./rich";
import { VersionsContext } from "./versions";

/** Number of unchanged items that are shown beside a changed one. */
const NEIGHBOURS = 1;

/** Returns true if a block is a list. */
export function isList({ type }: Block): boolean {
  return type === "list-ordered" || type === "list-unordered" || type === "list-tasks";
}

/** The changed items of a list with their numbers and their neighbours. */
export function ListBody({ block, side }: { block: Block; side: Side }) {
  const versions = use(VersionsContext);
  const before = versions.before.get(block.before ?? "")?.nodes ?? [];
  const after = versions.after.get(block.after ?? "")?.nodes ?? [];
  const rows = rowsOf(block.parts ?? [], before, after);
  // An item has the number of the version that is shown; the later one wins if both are.
  const numbered = side === "before" ? [after, before] : [before, after];
  const numbers = new Map(numbered.flatMap((nodes) => nodes.map(({ key = "" }, at) => [key, at + 1] as const)));
  const List = block.type === "list-ordered" ? "ol" : "ul";
  const shared = { hasNumbers: List === "ol", hasTasks: block.type === "list-tasks" };
  return (
    <List className="review-items" data-tasks={shared.hasTasks || undefined}>
      {rows.map((row, at) => {
        if (row.kind === "same") return <SameItems key={at} {...shared} nodes={row.nodes} numbers={numbers} isFirst={at === 0} isLast={at === rows.length - 1} />;
        const part = row.block;
        if (!isOn(side, part.change)) return null;
        const node = versions.after.get(part.after ?? "") ?? versions.before.get(part.before ?? "");
        return (
          <li key={at} data-change={part.change} value={shared.hasNumbers ? numbers.get(part.after ?? part.before ?? "") : undefined}>
            {shared.hasTasks && <TaskBox isChecked={node?.data?.["checked"] === true} />}
            <div className="review-item">
              <BlockBody block={part} side={side} />
            </div>
          </li>
        );
      })}
    </List>
  );
}

interface SameProps {
  nodes: JsonNode[];
  numbers: ReadonlyMap<string, number>;
  hasNumbers: boolean;
  hasTasks: boolean;
  isFirst: boolean;
  isLast: boolean;
}

/** The unchanged items next to changed ones. */
function SameItems({ nodes, numbers, hasNumbers, hasTasks, isFirst, isLast }: SameProps) {
  const { review } = useMessages();
  const head = isFirst ? 0 : NEIGHBOURS;
  const tail = isLast ? 0 : NEIGHBOURS;
  const hidden = nodes.length - head - tail;
  const item = (node: JsonNode) => (
    <li key={node.key} className="review-same-item" value={hasNumbers ? numbers.get(node.key ?? "") : undefined}>
      {hasTasks && <TaskBox isChecked={node.data?.["checked"] === true} />}
      <div className="review-item">
        <Rich nodes={node.nodes ?? []} />
      </div>
    </li>
  );
  if (hidden <= 1) return nodes.map(item);
  return (
    <>
      {nodes.slice(0, head).map(item)}
      <li className="review-more-items">{review.sameItems(hidden)}</li>
      {nodes.slice(nodes.length - tail).map(item)}
    </>
  );
}
