import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { Schemas } from "../api/client";
import { keyOf, type Place } from "../api/place";
import { queries } from "../api/queries";
import type { JsonDocument } from "../editor/document";
import { useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { Avatar, Button, type Command, Menu, notify, Time } from "../ui";
import { commentsOf } from "./comment-api";
import { fromMarkdown, type Mentioned, mentionedIn } from "./mentions";
import { storeOf } from "./queries";
import { Rich, RichContext } from "./rich";
import { Write } from "./write";

/** Time in milliseconds in which a deletion can be undone. */
const UNDO_TIME = 6000;

/** Returns what happens after a change of comments: they are read again. */
export function useRefresh(place: Place) {
  return {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [...keyOf(place), "comments"] });
      void queries.invalidateQueries({ queryKey: keyOf(place), exact: true });
    },
    onError: (error: Error) => notify(error.message, { tone: "danger" }),
  };
}

/** The text of a comment. */
export function Text({ organization, body }: { organization: string; body: Schemas["Document"] }) {
  if ("markdown" in body && typeof body.markdown === "string") return <p className="review-said">{body.markdown}</p>;
  const nodes = "document" in body ? (body.document as JsonDocument).nodes : [];
  return (
    <div className="review-said">
      <RichContext value={{ organization, fileAddress: () => undefined }}>
        <Rich nodes={nodes} />
      </RichContext>
    </div>
  );
}

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
      onRead={() => operations.read(comment.id)}
      onChange={(markdown) => operations.change(comment.id, { body: { markdown } })}
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
          onRead={() => operations.readReply(comment.id, one.id)}
          onChange={(markdown) => operations.changeReply(comment.id, one.id, { markdown })}
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

interface SaidProps {
  place: Place;
  by: Schemas["Comment"] | Schemas["CommentReply"];
  before?: React.ReactNode;
  children?: React.ReactNode;
  onRead: () => Promise<{ body: Schemas["Document"] }>;
  onChange: (markdown: string) => Promise<unknown>;
  onRemove: () => Promise<unknown>;
}

/** Something that a person said: a comment or a reply, with what its author does to it. */
function Said({ place, by, before, children, onRead, onChange, onRemove }: SaidProps) {
  const { review, shell } = useMessages();
  const [source, setSource] = useState<{ text: string; people: readonly Mentioned[] }>();
  const [isRemoved, setIsRemoved] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useRefresh(place);
  const change = useMutation({ mutationFn: onChange, ...refresh });
  const edit = async () => {
    try {
      const { body } = await onRead();
      const markdown = "markdown" in body && typeof body.markdown === "string" ? body.markdown : "";
      const members = await Promise.all(mentionedIn(markdown).map((id) => queries.fetchQuery(memberQuery(place.organization, id)).catch(() => undefined)));
      const people = members.flatMap((member) => (member ? [{ id: member.user.id, name: member.user.displayName }] : []));
      setSource({ text: fromMarkdown(markdown, people), people });
    } catch (error) {
      refresh.onError(error as Error);
    }
  };
  const remove = () => {
    setIsRemoved(true);
    const undo = () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      setIsRemoved(false);
    };
    timer.current = setTimeout(() => {
      timer.current = undefined;
      onRemove().then(refresh.onSuccess, (error: Error) => {
        setIsRemoved(false);
        refresh.onError(error);
      });
    }, UNDO_TIME);
    notify(review.commentDeleted, { action: { label: shell.undo, run: undo } });
  };
  // A deletion that waits is carried out when its comment is no longer shown.
  const latest = useRef(onRemove);
  latest.current = onRemove;
  useEffect(
    () => () => {
      if (timer.current === undefined) return;
      clearTimeout(timer.current);
      void latest.current().then(refresh.onSuccess, refresh.onError);
    },
    // The functions of the first rendering do the same as later ones.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [],
  );
  if (isRemoved) return null;
  const commands: Command[] = [];
  if (by.permissions.edit) commands.push({ id: "edit", label: shell.edit, icon: "edit", run: () => void edit() });
  if (by.permissions.delete) commands.push({ id: "delete", label: shell.delete, icon: "trash", isDanger: true, run: remove });
  return (
    <article className={by.object === "comment" ? "review-comment" : "review-reply"} aria-label={review.saidBy(by.postedBy.displayName)}>
      {before}
      <header className="review-said-head">
        <Avatar name={by.postedBy.displayName} url={by.postedBy.photoURL} />
        <span className="grow">
          <strong>{by.postedBy.displayName}</strong>{" "}
          <span className="muted">
            <Time at={by.postedAt} />
            {by.editedAt !== undefined && ` · ${review.edited}`}
          </span>
        </span>
        {commands.length > 0 && <Menu label={review.commentActions(by.postedBy.displayName)} commands={commands} />}
      </header>
      {source ? (
        <Write
          organization={place.organization}
          label={review.editComment}
          action={shell.save}
          initial={source}
          isBusy={change.isPending}
          hasFocus
          onSend={(markdown) => change.mutateAsync(markdown).then(() => setSource(undefined))}
          onCancel={() => setSource(undefined)}
        />
      ) : (
        <Text organization={place.organization} body={by.body} />
      )}
      {children}
    </article>
  );
}
