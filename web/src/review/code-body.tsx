import { use, useState } from "react";

import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { Button } from "../ui";
import { type Block, isOn, rowsOf, type Side, textOf } from "./difference";
import { Runs } from "./runs";
import { VersionsContext } from "./versions";

/** Number of unchanged lines that are shown beside a changed one. */
const NEIGHBOURS = 2;

/** Number of changed lines that are shown at once. */
const SHOWN_LINES = 200;

const SIGNS: Record<Block["change"], string> = { inserted: "+", deleted: "−", edited: "~", moved: "↑", "moved-away": "↓" };

/** The changed lines of a code block with those next to them. */
export function CodeBody({ block, side }: { block: Block; side: Side }) {
  const { review } = useMessages();
  const versions = use(VersionsContext);
  const linesOf = (nodes: JsonNode[] | undefined) => (nodes ?? []).filter(({ type }) => type === "code-line" || type === "source-line");
  const before = linesOf(versions.before.get(block.before ?? "")?.nodes);
  const after = linesOf(versions.after.get(block.after ?? "")?.nodes);
  const rows = rowsOf(block.parts ?? [], before, after);
  const [shown, setShown] = useState(SHOWN_LINES);
  return (
    <div className="review-code">
      {rows.slice(0, shown).map((row, at) => {
        if (row.kind === "same") return <SameLines key={at} nodes={row.nodes} isFirst={at === 0} isLast={at === rows.length - 1} />;
        const { change, text } = row.block;
        if (!isOn(side, change)) return null;
        return (
          <div key={at} className="review-code-line" data-change={change}>
            <span aria-hidden="true">{SIGNS[change]}</span>
            <code>{text ? <Runs runs={text} side={side} /> : " "}</code>
          </div>
        );
      })}
      {rows.length > shown && (
        <Button isSmall onPress={() => setShown(shown + SHOWN_LINES)}>
          {review.moreRows(rows.length - shown)}
        </Button>
      )}
    </div>
  );
}

/** The unchanged lines next to changed ones. */
function SameLines({ nodes, isFirst, isLast }: { nodes: JsonNode[]; isFirst: boolean; isLast: boolean }) {
  const { review } = useMessages();
  const head = isFirst ? 0 : NEIGHBOURS;
  const tail = isLast ? 0 : NEIGHBOURS;
  const hidden = nodes.length - head - tail;
  const line = (node: JsonNode, at: number) => (
    <div key={node.key ?? at} className="review-code-line review-code-same">
      <span aria-hidden="true"> </span>
      <code>{textOf(node) || " "}</code>
    </div>
  );
  if (hidden <= 1) return nodes.map(line);
  return (
    <>
      {nodes.slice(0, head).map(line)}
      <div className="review-code-line review-code-same">
        <span aria-hidden="true">⋯</span>
        <span>{review.sameLines(hidden)}</span>
      </div>
      {nodes.slice(nodes.length - tail).map(line)}
    </>
  );
}
