import { createContext, use } from "react";

import type { Schemas } from "../api/client";
import type { Place } from "../api/place";
import { useMessages } from "../i18n";
import { CommentItem } from "./comment-item";
import { usePost } from "./comment-queries";
import { NO_COMMENTS, type PageComments } from "./placed";
import { storeOf } from "./queries";
import { Write } from "./write";

/** The comments that are shown with the changes of a change request. */
export interface Threads {
  placed: ReadonlyMap<string, PageComments>;
  canWrite: boolean;
}

export const ThreadsContext = createContext<Threads>({ placed: new Map(), canWrite: false });

/** Returns the comments of a changed page, and whether the person may write some. */
export function useThreads(page: string): { comments: PageComments; canWrite: boolean } {
  const { placed, canWrite } = use(ThreadsContext);
  return { comments: placed.get(page) ?? NO_COMMENTS, canWrite };
}

interface Props {
  place: Place;
  page: string;
  /** The key of the block; absent for the page as a whole. */
  node?: string | undefined;
  comments: readonly Schemas["Comment"][];
  isWriting: boolean;
  onWritten: () => void;
}

/** The comments on a changed block or page, with a field for a new one while the person writes. */
export function Thread({ place, page, node, comments, isWriting, onWritten }: Props) {
  const { review } = useMessages();
  const { canWrite } = use(ThreadsContext);
  const post = usePost(place, { page, node }, onWritten);
  if (comments.length === 0 && !isWriting) return null;
  return (
    <div className="review-thread">
      {comments.map((comment) => (
        <CommentItem key={comment.id} place={place} comment={comment} excerpt={undefined} canWrite={canWrite} />
      ))}
      {isWriting && (
        <Write
          organization={place.organization}
          label={review.commentText}
          action={review.comment}
          draft={storeOf(place, `comment.${page}.${node ?? ""}`)}
          isBusy={post.isPending}
          hasFocus
          onSend={(markdown) => post.mutateAsync(markdown)}
          onCancel={onWritten}
        />
      )}
    </div>
  );
}
