import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import type { Place } from "../api/place";
import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { useAskedComment } from "../space/asked-comment";
import { Button, IconButton } from "../ui";
import { BlockView } from "./blocks";
import { byKeys, type Difference, type Row, rowsOf } from "./difference";
import { commentsOn, hasComment } from "./placed";
import { nodesQuery, revisionFilesQuery, type Revisions } from "./queries";
import { Rich, RichContext } from "./rich";
import { Thread, useThreads } from "./thread";
import { type Versions, VersionsContext } from "./versions";

/** The way in which two versions are shown: in one text, or beside each other. */
export type Mode = "inline" | "sides";

interface DocumentProps {
  place: Place;
  difference: Difference;
  revisions: Revisions;
  mode: Mode;
}

/** Number of rows of a page that are shown at once. */
const SHOWN_ROWS = 150;

const NO_NODES: JsonNode[] = [];

/** The changed blocks of a document with the unchanged ones beside them. */
export function DocumentRows({ place, difference, revisions, mode }: DocumentProps) {
  const { organization, space } = place;
  const { review, shell } = useMessages();
  const isPage = difference.kind === "page";
  // A page that is new or deleted has only one version.
  const isWhole = difference.change === "created" || difference.change === "deleted";
  const shownMode = isWhole ? "inline" : mode;
  const before = useQuery({ ...nodesQuery(space, revisions.base, difference.id), enabled: isPage && difference.change !== "created" });
  const after = useQuery({ ...nodesQuery(space, revisions.head, difference.id), enabled: isPage && difference.change !== "deleted" });
  const hasImages = useMemo(() => JSON.stringify(difference.document).includes('"image"'), [difference]);
  const isAsked = hasComment(useThreads(difference.id).comments, useAskedComment().comment);
  const [chosen, setShown] = useState(SHOWN_ROWS);
  const filesBefore = useQuery({ ...revisionFilesQuery(space, revisions.base), enabled: hasImages });
  const filesAfter = useQuery({ ...revisionFilesQuery(space, revisions.head), enabled: hasImages });
  const [nodesBefore, nodesAfter] = [before.data ?? NO_NODES, after.data ?? NO_NODES];
  const rows = useMemo(() => rowsOf(difference.document?.blocks ?? [], nodesBefore, nodesAfter), [difference, nodesBefore, nodesAfter]);
  const shown = isAsked ? rows.length : chosen;
  const versions = useMemo<Versions>(
    () => ({
      organization,
      before: byKeys(nodesBefore),
      after: byKeys(nodesAfter),
      fileBefore: (id) => filesBefore.data?.get(id)?.downloadURL,
      fileAfter: (id) => filesAfter.data?.get(id)?.downloadURL,
    }),
    [organization, nodesBefore, nodesAfter, filesBefore.data, filesAfter.data],
  );
  const rich = useMemo(() => ({ organization, fileAddress: versions.fileAfter }), [organization, versions]);
  return (
    <VersionsContext value={versions}>
      <RichContext value={rich}>
        <div className="review-rows" data-mode={shownMode}>
          {shownMode === "sides" && rows.length > 0 && (
            <div className="review-sides review-sides-head">
              <span>{review.before}</span>
              <span>{review.after}</span>
            </div>
          )}
          {rows.slice(0, shown).map((row, at) => (
            <RowView key={at} place={place} page={isPage ? difference.id : undefined} row={row} mode={shownMode} isWhole={isWhole} isFirst={at === 0} isLast={at === rows.length - 1} />
          ))}
          {rows.length > shown && (
            <Button isSmall onPress={() => setShown(shown + SHOWN_ROWS)}>
              {review.moreRows(rows.length - shown)}
            </Button>
          )}
          {(before.isError || after.isError) && (
            <p className="muted review-hint" role="alert">
              {review.contextMissing}{" "}
              <Button
                kind="quiet"
                isSmall
                onPress={() => {
                  if (before.isError) void before.refetch();
                  if (after.isError) void after.refetch();
                }}
              >
                {shell.retry}
              </Button>
            </p>
          )}
        </div>
      </RichContext>
    </VersionsContext>
  );
}

interface RowProps {
  place: Place;
  /** The page on whose blocks people comment; absent if this is no page. */
  page: string | undefined;
  row: Row;
  mode: Mode;
  /** True if all blocks have the same change, which is not repeated. */
  isWhole: boolean;
  isFirst: boolean;
  isLast: boolean;
}

function RowView({ place, page, row, mode, isWhole, isFirst, isLast }: RowProps) {
  const { review } = useMessages();
  const { comments, canWrite } = useThreads(page ?? "");
  const [isWriting, setIsWriting] = useState(false);
  if (row.kind === "same") return <SameBlocks nodes={row.nodes} isFirst={isFirst} isLast={isLast} />;
  const { block } = row;
  const isThere = block.change !== "deleted" && block.change !== "moved-away";
  const node = isThere ? block.after : undefined;
  return (
    <div className="review-row" role="group" aria-label={review.blockChanges[block.change]} data-stop="" tabIndex={-1}>
      {mode === "inline" ? (
        <BlockView block={block} side="both" isInner={isWhole} />
      ) : (
        <div className="review-sides">
          <div>
            <BlockView block={block} side="before" />
          </div>
          <div>
            <BlockView block={block} side="after" />
          </div>
        </div>
      )}
      {canWrite && page !== undefined && node !== undefined && (
        <span className="review-row-comment">
          <IconButton icon="comment" label={review.commentOnBlock} onPress={() => setIsWriting(true)} />
        </span>
      )}
      {page !== undefined && (
        <Thread place={place} page={page} node={node} comments={commentsOn(block, comments)} isWriting={isWriting} onWritten={() => setIsWriting(false)} />
      )}
    </div>
  );
}

/** Number of unchanged blocks that are shown beside a changed one. */
const NEIGHBOURS = 1;

function SameBlocks({ nodes, isFirst, isLast }: { nodes: JsonNode[]; isFirst: boolean; isLast: boolean }) {
  const { review } = useMessages();
  const [isOpen, setIsOpen] = useState(false);
  const head = isFirst ? 0 : NEIGHBOURS;
  const tail = isLast ? 0 : NEIGHBOURS;
  const hidden = nodes.length - head - tail;
  if (isOpen || hidden <= 1) {
    return (
      <div className="review-same">
        <Rich nodes={nodes} />
      </div>
    );
  }
  return (
    <div className="review-same">
      <Rich nodes={nodes.slice(0, head)} />
      <div>
        <Button kind="quiet" isSmall onPress={() => setIsOpen(true)}>
          {review.unchanged(hidden)}
        </Button>
      </div>
      <Rich nodes={nodes.slice(nodes.length - tail)} />
    </div>
  );
}
