import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "../api/client";
import { keyOf, type Place } from "../api/place";
import { useMessages } from "../i18n";
import { Button, notify } from "../ui";
import { commentsOf } from "./comment-api";
import { useRefresh } from "./comment-queries";
import { storeOf } from "./queries";
import { Said } from "./said";
import { Write } from "./write";

interface ItemProps {
  place: Place;
  comment: Schemas["Comment"];
  /** The title of the page to which the comment belongs, if it is not the page that is shown. */
  pageTitle?: string | undefined;
  excerpt: string | undefined;
  onShow?: (() => void) | undefined;
  canWrite: boolean;
}

/** A comment with its replies. */
export function CommentItem({ place, comment, pageTitle, excerpt, onShow, canWrite }: ItemProps) {
  const { review } = useMessages();
  const [isReplying, setIsReplying] = useState(false);
  const operations = commentsOf(place);
  const refresh = useRefresh(place);
  const isResolved = comment.status === "resolved";
  const replies = useQuery({
    queryKey: [...keyOf(place), "comments", "replies", comment.id],
    enabled: comment.replies > 0,
    queryFn: () => operations.replies(comment.id),
  });
  const reply = useMutation({
    mutationFn: (markdown: string) => operations.reply(comment.id, { markdown }),
    ...refresh,
    onSuccess: () => {
      refresh.onSuccess();
      setIsReplying(false);
    },
  });
  const resolve = useMutation({
    mutationFn: (resolved: boolean) => operations.change(comment.id, { resolved }),
    ...refresh,
    onSuccess: (_, resolved) => {
      refresh.onSuccess();
      if (resolved) notify(review.resolvedNow, { action: { label: review.reopenComment, run: () => resolve.mutate(false) } });
    },
  });
  const answers = comment.replies > 0 ? (replies.data ?? []) : [];
  return (
    <Said
      place={place}
      by={comment}
      canWrite={canWrite}
      onRead={() => operations.read(comment.id)}
      onChange={(change) => operations.change(comment.id, change)}
      onRemove={() => operations.remove(comment.id)}
      before={
        <>
          {pageTitle !== undefined && <p className="review-comment-page">{pageTitle}</p>}
          {comment.target.gone !== undefined ? (
            <p className="muted review-hint">{review.goneTarget[comment.target.gone]}</p>
          ) : (
            excerpt && <Excerpt text={excerpt} onShow={onShow} />
          )}
        </>
      }
    >
      {answers.map((one) => (
        <Said
          key={one.id}
          place={place}
          by={one}
          canWrite={canWrite}
          onRead={() => operations.readReply(comment.id, one.id)}
          onChange={(change) => operations.changeReply(comment.id, one.id, change)}
          onRemove={() => operations.removeReply(comment.id, one.id)}
        />
      ))}
      {isResolved && <p className="muted review-hint">{review.resolvedBy(comment.resolvedBy.displayName)}</p>}
      {canWrite && !isReplying && (
        <div className="row">
          {comment.permissions.reply !== false && (
            <Button kind="quiet" isSmall onPress={() => setIsReplying(true)}>
              {review.reply}
            </Button>
          )}
          <Button kind="quiet" isSmall isPending={resolve.isPending} onPress={() => resolve.mutate(!isResolved)}>
            {isResolved ? review.reopenComment : review.resolve}
          </Button>
        </div>
      )}
      {isReplying && (
        <Write
          organization={place.organization}
          label={review.newReply}
          action={review.reply}
          draft={storeOf(place, `reply.${comment.id}`)}
          isBusy={reply.isPending}
          hasFocus
          onSend={(markdown) => reply.mutateAsync(markdown)}
          onCancel={() => setIsReplying(false)}
        />
      )}
    </Said>
  );
}

function Excerpt({ text, onShow }: { text: string; onShow: (() => void) | undefined }) {
  const { review } = useMessages();
  if (!onShow) return <blockquote className="review-excerpt">{text}</blockquote>;
  return (
    <button type="button" className="review-excerpt" title={review.showInPage} onClick={onShow}>
      {text}
    </button>
  );
}
