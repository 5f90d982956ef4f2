import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { keyOf, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { Avatar, Button, ErrorState, Loading, notify, Switch, TextField, Time } from "../ui";

/** A place in a page to which a comment belongs. */
export interface CommentTarget {
  page: string;
  node?: string;
  excerpt?: string;
}


/** Returns the operations on comments of a place. */
function operations({ space: spaceId, changeRequest }: Place) {
  const change = changeRequest === undefined ? undefined : { spaceId, changeRequestId: changeRequest };
  const format = "markdown" as const;
  return {
    list: (targetPage: string, status: "open" | "resolved") => {
      const query = { targetPage, status, format, limit: 100 };
      return change
        ? data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/comments", { params: { path: change, query } }))
        : data(client.GET("/spaces/{spaceId}/comments", { params: { path: { spaceId }, query } }));
    },
    post: (body: Schemas["PostCommentSchema"]) =>
      change
        ? data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/comments", { params: { path: change }, body }))
        : data(client.POST("/spaces/{spaceId}/comments", { params: { path: { spaceId } }, body })),
    replies: (commentId: string) => {
      const query = { format, limit: 100 };
      return change
        ? data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", { params: { path: { ...change, commentId }, query } }))
        : data(client.GET("/spaces/{spaceId}/comments/{commentId}/replies", { params: { path: { spaceId, commentId }, query } }));
    },
    reply: (commentId: string, markdown: string) => {
      const body = { body: { markdown } };
      return change
        ? data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies", { params: { path: { ...change, commentId } }, body }))
        : data(client.POST("/spaces/{spaceId}/comments/{commentId}/replies", { params: { path: { spaceId, commentId } }, body }));
    },
    resolve: (commentId: string, resolved: boolean) =>
      change
        ? data(client.PUT("/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}", { params: { path: { ...change, commentId } }, body: { resolved } }))
        : data(client.PUT("/spaces/{spaceId}/comments/{commentId}", { params: { path: { spaceId, commentId } }, body: { resolved } })),
  };
}

function useRefresh(place: Place) {
  return {
    onSuccess: () => void queries.invalidateQueries({ queryKey: [...keyOf(place), "comments"] }),
    onError: (error: Error) => notify(error.message, { tone: "danger" }),
  };
}

interface CommentsProps {
  place: Place;
  page: string;
  target: CommentTarget | undefined;
  onTargetDone: () => void;
}

/** The comments on a page, with a field for a new one. */
export function Comments({ place, page, target, onTargetDone }: CommentsProps) {
  const { review } = useMessages();
  const [isResolved, setIsResolved] = useState(false);
  const status = isResolved ? "resolved" : "open";
  const found = useQuery({
    queryKey: [...keyOf(place), "comments", page, status],
    queryFn: () => operations(place).list(page, status),
  });
  const refresh = useRefresh(place);
  const post = useMutation({
    mutationFn: (markdown: string) => operations(place).post({ page, ...(target?.node && { node: target.node }), body: { markdown } }),
    ...refresh,
    onSuccess: () => {
      refresh.onSuccess();
      onTargetDone();
    },
  });
  const items = found.data?.items ?? [];
  return (
    <div className="stack">
      {target?.excerpt && (
        <blockquote className="review-excerpt">
          {target.excerpt}
          <Button kind="quiet" isSmall onPress={onTargetDone}>
            {review.withoutTarget}
          </Button>
        </blockquote>
      )}
      <Write label={review.newComment} action={review.comment} isBusy={post.isPending} onSend={(text) => post.mutateAsync(text)} />
      <Switch isSelected={isResolved} onChange={setIsResolved}>
        {review.showResolved}
      </Switch>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <p className="muted">{review.noComments}</p>}
      {items.map((comment) => (
        <CommentItem key={comment.id} place={place} comment={comment} isResolved={isResolved} />
      ))}
    </div>
  );
}

function textOf(body: Schemas["Document"]): string {
  return "markdown" in body && typeof body.markdown === "string" ? body.markdown : "";
}

function CommentItem({ place, comment, isResolved }: { place: Place; comment: Schemas["Comment"]; isResolved: boolean }) {
  const { review } = useMessages();
  const [isReplying, setIsReplying] = useState(false);
  const refresh = useRefresh(place);
  const replies = useQuery({
    queryKey: [...keyOf(place), "comments", "replies", comment.id],
    enabled: comment.replies > 0,
    queryFn: () => operations(place).replies(comment.id),
  });
  const reply = useMutation({
    mutationFn: (text: string) => operations(place).reply(comment.id, text),
    ...refresh,
    onSuccess: () => {
      refresh.onSuccess();
      setIsReplying(false);
    },
  });
  const resolve = useMutation({ mutationFn: () => operations(place).resolve(comment.id, !isResolved), ...refresh });
  return (
    <article className="review-comment">
      <Said by={comment.postedBy} at={comment.postedAt} text={textOf(comment.body)} />
      {(replies.data?.items ?? []).map((one) => (
        <Said key={one.id} by={one.postedBy} at={one.postedAt} text={textOf(one.body)} />
      ))}
      <div className="row">
        <Button kind="quiet" isSmall onPress={() => setIsReplying(!isReplying)}>
          {review.reply}
        </Button>
        <Button kind="quiet" isSmall isPending={resolve.isPending} onPress={() => resolve.mutate()}>
          {isResolved ? review.reopenComment : review.resolve}
        </Button>
      </div>
      {isReplying && <Write label={review.newReply} action={review.reply} isBusy={reply.isPending} onSend={(text) => reply.mutateAsync(text)} />}
    </article>
  );
}

function Said({ by, at, text }: { by: Schemas["User"]; at: string; text: string }) {
  return (
    <div>
      <p className="row">
        <Avatar name={by.displayName} url={by.photoURL} />
        <strong>{by.displayName}</strong>
        <span className="muted">
          <Time at={at} />
        </span>
      </p>
      <p className="review-said">{text}</p>
    </div>
  );
}

function Write({ label, action, isBusy, onSend }: { label: string; action: string; isBusy: boolean; onSend: (text: string) => Promise<unknown> }) {
  const { review } = useMessages();
  const [text, setText] = useState("");
  const send = () => {
    if (text.trim()) void onSend(text.trim()).then(() => setText(""), () => {});
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          send();
        }
      }}
    >
      <TextField label={label} value={text} onChange={setText} isMultiline rows={3} description={review.commentHint} />
      <Button type="submit" isPending={isBusy}>
        {action}
      </Button>
    </form>
  );
}
