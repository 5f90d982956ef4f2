import { useQuery } from "@tanstack/react-query";
import { memo, type RefObject, useEffect, useRef, useState } from "react";

import { useMessages } from "../i18n";
import { Badge, Checkbox, IconButton } from "../ui";
import { useAskedComment } from "../space/asked-comment";
import type { ChangePlace } from "./actions";
import type { Difference } from "./difference";
import { DocumentRows, type Mode } from "./document";
import { revisionFilesQuery, type Revisions } from "./queries";
import { Attributes } from "./runs";
import { CommentCount } from "./comment-count";
import { hasComment } from "./placed";
import { Thread, useThreads } from "./thread";

const TONES: Record<Difference["change"], "success" | "danger" | "info" | "purple" | "neutral"> = {
  created: "success",
  deleted: "danger",
  edited: "info",
  moved: "purple",
  same: "neutral",
};

/** Returns a reference, and whether its element has come near the visible part of the page. */
function useNear<T extends Element>(isAlways: boolean): [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const [isNear, setIsNear] = useState(isAlways);
  useEffect(() => {
    if (!element.current || isNear) return;
    const watcher = new IntersectionObserver((entries) => setIsNear(entries.some((entry) => entry.isIntersecting)), { rootMargin: "600px" });
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [isNear]);
  return [element, isNear];
}

interface ChangeProps {
  place: ChangePlace;
  difference: Difference;
  revisions: Revisions;
  mode: Mode;
  /** True to show the changes also while they are far from the visible part. */
  isEager: boolean;
  isSeen: boolean;
  onSeen: (difference: Difference, isSeen: boolean) => void;
  /** Discards the changes of the page; absent if they cannot be discarded. */
  onDiscard?: ((difference: Difference) => void) | undefined;
}

/** Height in rem that a change is expected to have, before it is shown. */
function expectedHeight({ document, attributes }: Difference): number {
  return Math.min(40, 2 + 1.5 * attributes.length + 3 * (document?.blocks.length ?? 0));
}

/** The changes of a page, a file or another item, with the mark of what was seen. */
export const Change = memo(function Change({ place, difference, revisions, mode, isEager, isSeen, onSeen, onDiscard }: ChangeProps) {
  const { review, shell } = useMessages();
  const { comments, canWrite } = useThreads(difference.id);
  const isAsked = hasComment(comments, useAskedComment().comment);
  const [element, hasComeNear] = useNear<HTMLElement>(isEager);
  const isNear = hasComeNear || isAsked;
  const [isWriting, setIsWriting] = useState(false);
  const title = difference.title || difference.path || shell.untitled;
  const isThere = difference.kind === "page" && difference.change !== "deleted";
  useEffect(() => {
    if (isAsked) onSeen(difference, false);
  }, [isAsked, difference, onSeen]);
  return (
    <article ref={element} className="review-change" id={`change-${difference.id}`} aria-label={title} tabIndex={-1} data-stop="">
      <header className="review-change-head">
        <Badge tone={TONES[difference.change]}>{review.changed[difference.change]}</Badge>
        <h3>{title}</h3>
        {difference.path !== undefined && difference.path !== difference.title && <span className="review-path">{difference.path}</span>}
        <span className="grow" />
        <CommentCount count={comments.count} />
        {canWrite && isThere && (
          <IconButton
            icon="comment"
            label={review.commentOn(title)}
            onPress={() => {
              onSeen(difference, false);
              setIsWriting(true);
            }}
          />
        )}
        {onDiscard && <IconButton icon="trash" label={review.discard(title)} onPress={() => onDiscard(difference)} />}
        <Checkbox isSelected={isSeen} onChange={(next) => onSeen(difference, next)} aria-label={review.seenOf(title)}>
          {review.seen}
        </Checkbox>
      </header>
      {!isSeen && (
        <div className="review-change-body" style={isNear ? undefined : { minBlockSize: `${expectedHeight(difference)}rem` }}>
          {isNear && (
            <>
              {isThere && <Thread place={place} page={difference.id} comments={comments.whole} isWriting={isWriting} onWritten={() => setIsWriting(false)} />}
              <ChangeBody place={place} difference={difference} revisions={revisions} mode={mode} />
            </>
          )}
        </div>
      )}
    </article>
  );
});

type BodyProps = Pick<ChangeProps, "place" | "difference" | "revisions" | "mode">;

function ChangeBody({ mode, ...parts }: BodyProps) {
  const { difference } = parts;
  return (
    <>
      <Moved difference={difference} />
      <Attributes attributes={difference.attributes} />
      {difference.kind === "file" && <FileVersions {...parts} />}
      {difference.document && <DocumentRows {...parts} mode={mode} />}
    </>
  );
}

function Moved({ difference: { moved } }: { difference: Difference }) {
  const { review } = useMessages();
  if (!moved) return null;
  return (
    <p>
      {review.movedFrom} <del>{moved.before ?? review.topLevel}</del> {review.movedTo} <ins>{moved.after ?? review.topLevel}</ins>
    </p>
  );
}

function FileVersions({ place, difference, revisions }: Omit<BodyProps, "mode">) {
  const { review } = useMessages();
  const before = useQuery(revisionFilesQuery(place.space, revisions.base)).data?.get(difference.id);
  const after = useQuery(revisionFilesQuery(place.space, revisions.head)).data?.get(difference.id);
  const versions = [
    { label: review.before, file: before },
    { label: review.after, file: after },
  ];
  return (
    <div className="review-pictures">
      {versions.map(
        ({ label, file }) =>
          file && (
            <figure key={label}>
              {before && after && <figcaption>{label}</figcaption>}
              {file.contentType.startsWith("image/") && <img className="review-picture" src={file.downloadURL} alt="" loading="lazy" />}
              <a href={file.downloadURL} download>
                {review.fileOf(file.name, file.size)}
              </a>
            </figure>
          ),
      )}
    </div>
  );
}
