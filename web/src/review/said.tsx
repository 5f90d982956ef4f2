import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "../api/client";
import type { Place } from "../api/place";
import { queries, sessionQuery } from "../api/queries";
import type { JsonDocument } from "../editor/document";
import { useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { useArrival } from "../space/asked-comment";
import { emojiText } from "../space/emoji-text";
import { Avatar, type Command, Confirm, Menu, Time } from "../ui";
import { useRefresh } from "./comment-queries";
import { fromMarkdown, type Mentioned, mentionedIn } from "./mentions";
import { OFFERED_REACTIONS, Reactions } from "./reactions";
import { Rich, RichContext } from "./rich";
import { Write } from "./write";

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

/** A change of a comment or of a reply: of its text or of the person's reactions. */
type SaidChange = Schemas["UpdateCommentReplySchema"];

interface SaidProps {
  place: Place;
  by: Schemas["Comment"] | Schemas["CommentReply"];
  canWrite: boolean;
  before?: React.ReactNode;
  children?: React.ReactNode;
  onRead: () => Promise<{ body: Schemas["Document"] }>;
  onChange: (change: SaidChange) => Promise<unknown>;
  onRemove: () => Promise<unknown>;
}

/** Something that a person said: a comment or a reply, with what its author and others do to it. */
export function Said({ place, by, canWrite, before, children, onRead, onChange, onRemove }: SaidProps) {
  const { review, shell } = useMessages();
  const user = useQuery(sessionQuery).data?.user.id ?? "";
  const [source, setSource] = useState<{ text: string; people: readonly Mentioned[] }>();
  const [isRemoving, setIsRemoving] = useState(false);
  const [element, isAsked] = useArrival<HTMLElement>(by.id);
  const refresh = useRefresh(place);
  const change = useMutation({ mutationFn: onChange, ...refresh });
  const remove = useMutation({ mutationFn: onRemove, ...refresh, onSettled: () => setIsRemoving(false) });
  const react = (emoji: string, isAdded: boolean) => change.mutate(isAdded ? { addedReactions: [emoji] } : { removedReactions: [emoji] });
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
  const commands: Command[] = [];
  if (by.permissions.edit) commands.push({ id: "edit", label: shell.edit, icon: "edit", run: () => void edit() });
  if (by.permissions.delete) commands.push({ id: "delete", label: shell.delete, icon: "trash", isDanger: true, run: () => setIsRemoving(true) });
  return (
    <article
      ref={element}
      className={by.object === "comment" ? "review-comment" : "review-reply"}
      aria-label={review.saidBy(by.postedBy.displayName)}
      data-asked={isAsked || undefined}
      tabIndex={isAsked ? -1 : undefined}
    >
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
        {canWrite && (
          <Menu
            label={review.react(by.postedBy.displayName)}
            icon="smile"
            commands={OFFERED_REACTIONS.map((emoji) => ({ id: emoji, label: `${emojiText(emoji)} ${review.reactionNames[emoji] ?? ""}`, run: () => react(emoji, true) }))}
          />
        )}
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
          onSend={(markdown) => change.mutateAsync({ body: { markdown } }).then(() => setSource(undefined))}
          onCancel={() => setSource(undefined)}
        />
      ) : (
        <Text organization={place.organization} body={by.body} />
      )}
      <Reactions reactions={by.reactions} user={user} canReact={canWrite} onReact={react} />
      {children}
      <Confirm
        title={review.deleteComment}
        action={shell.delete}
        isOpen={isRemoving}
        isBusy={remove.isPending}
        onClose={() => setIsRemoving(false)}
        onConfirm={() => remove.mutate()}
      >
        <p>{by.object === "comment" && by.replies > 0 ? review.deleteWithReplies : review.deleteText}</p>
      </Confirm>
    </article>
  );
}
