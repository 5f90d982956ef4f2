import { use } from "react";

import { useMessages } from "../i18n";
import { Badge } from "../ui";
import { CodeBody } from "./code-body";
import { type Block, isOn, type Side } from "./difference";
import { isList, ListBody } from "./list-body";
import { Picture, Rich, RichContext } from "./rich";
import { Attributes, Runs } from "./runs";
import { TableBody } from "./table";
import { type TwoNodes, VersionsContext } from "./versions";

const TONES = { inserted: "success", deleted: "danger", edited: "info", moved: "purple", "moved-away": "purple" } as const;
/** The types of blocks whose look tells what they are. */
const PLAIN = new Set(["paragraph", "heading-1", "heading-2", "heading-3", "list-ordered", "list-unordered", "list-tasks", "list-item", "code", "table", "images", "image"]);

/** A changed block as both versions or one of them show it. */
export function BlockView({ block, side, isInner }: { block: Block; side: Side; isInner?: boolean }) {
  const { review } = useMessages();
  if (!isOn(side, block.change)) return null;
  const isMoved = block.change === "moved" || block.change === "moved-away";
  return (
    <div className="review-block" data-change={block.change} data-inner={isInner || undefined}>
      {(isMoved || !PLAIN.has(block.type)) && (
        <p className="review-block-head">
          {(isMoved || !isInner) && <Badge tone={TONES[block.change]}>{review.blockChanges[block.change] ?? block.change}</Badge>}
          <span className="muted">{review.blockTypes[block.type] ?? block.type}</span>
        </p>
      )}
      <BlockBody block={block} side={side} />
    </div>
  );
}

/** The content of a changed block without its mark. */
export function BlockBody({ block, side }: { block: Block; side: Side }) {
  const versions = use(VersionsContext);
  const after = block.after === undefined ? undefined : versions.after.get(block.after);
  const before = block.before === undefined ? undefined : versions.before.get(block.before);
  const node = after ?? before;
  if (node && !block.text && !block.parts && block.type !== "image") {
    return (
      <div className="review-whole">
        <Attributes attributes={block.attributes} side={side} />
        <Rich nodes={[node]} />
      </div>
    );
  }
  if (block.type === "image") return <ImageBody block={block} side={side} before={before} after={after} />;
  if (block.type === "table") return <TableBody block={block} side={side} before={before} after={after} />;
  if (isList(block) && block.parts) {
    return (
      <>
        <Attributes attributes={block.attributes} side={side} />
        <ListBody block={block} side={side} />
      </>
    );
  }
  if ((block.type === "code" || block.type === "source") && block.parts) {
    return (
      <>
        <Attributes attributes={block.attributes} side={side} />
        <CodeBody block={block} side={side} />
      </>
    );
  }
  return (
    <>
      <Attributes attributes={block.attributes} side={side} />
      {block.text && (
        <p dir="auto" className={block.type.startsWith("heading-") ? "review-heading" : undefined}>
          <Runs runs={block.text} side={side} />
        </p>
      )}
      {block.parts && block.parts.length > 0 && (
        <div className="review-parts">
          {block.parts.map((part, at) => (
            <BlockView key={at} block={part} side={side} isInner />
          ))}
        </div>
      )}
    </>
  );
}

/** The pictures of both versions if another file is shown now, or the one of a version. */
function ImageBody({ block, side, before, after }: TwoNodes) {
  const { review } = useMessages();
  const { organization, fileBefore, fileAfter } = use(VersionsContext);
  const isOther = block.attributes?.some(({ name }) => name === "ref") ?? false;
  const versions = [
    { version: "before" as const, node: before, fileAddress: fileBefore },
    { version: "after" as const, node: after, fileAddress: fileAfter },
  ];
  const shown = versions.filter(({ version, node }) => node && (side === "both" ? isOther || version === "after" || !after : side === version));
  return (
    <>
      <div className="review-pictures">
        {shown.map(({ version, node, fileAddress }) => (
          <figure key={version}>
            {shown.length > 1 && <figcaption>{version === "before" ? review.before : review.after}</figcaption>}
            <RichContext value={{ organization, fileAddress }}>
              <Picture reference={node?.data?.["ref"]} alt={String(node?.data?.["alt"] ?? "")} />
            </RichContext>
          </figure>
        ))}
      </div>
      <Attributes attributes={block.attributes} side={side} without="ref" />
      {block.text?.some(({ change }) => change !== "same") && (
        <p>
          <Runs runs={block.text} side={side} />
        </p>
      )}
    </>
  );
}
