import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { pageQuery, pagesQuery, type Place, type TreePage } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useAskedComment } from "../space/asked-comment";
import { indexOf } from "../space/tree";
import { Button, ErrorState, Loading, Switch } from "../ui";
import { CommentItem } from "./comment-item";
import { commentsQuery, usePost } from "./comment-queries";
import { byKeys, textOf } from "./difference";
import { nodesOf, storeOf } from "./queries";
import { Write } from "./write";

/** A place in a page to which a comment belongs. */
export interface CommentTarget {
  page: string;
  node?: string;
  excerpt?: string;
}

interface CommentsProps {
  place: Place;
  /** The page; without it, the comments on everything in a change request are shown. */
  page?: string;
  /** The place to which the next comment belongs, if it is not the page as a whole. */
  target?: CommentTarget | undefined;
  onTargetDone?: () => void;
  /** The ids of open comments that are shown elsewhere. */
  without?: ReadonlySet<string>;
  /** Shows the place in a page to which a comment belongs. */
  onShow?: (target: CommentTarget) => void;
}

const NO_PAGES: TreePage[] = [];
/** Maximum length of the text that a comment shows of its block. */
const MAX_EXCERPT = 160;

/** The comments on a page or a change request, with a field for a new one. */
export function Comments({ place, page, target, onTargetDone, without, onShow }: CommentsProps) {
  const { review } = useMessages();
  const [chosen, setIsResolved] = useState<boolean>();
  const asked = useAskedComment().comment;
  const isIn = (list: readonly { id: string }[] | undefined) => list?.some(({ id }) => id === asked) === true;
  const open = useQuery({ ...commentsQuery(place, page, "open"), enabled: asked !== undefined });
  const isNotOpen = chosen === undefined && asked !== undefined && open.isSuccess && !isIn(open.data);
  const closed = useQuery({ ...commentsQuery(place, page, "resolved"), enabled: isNotOpen });
  // The address can ask for a resolved comment, or for one that was deleted.
  const isResolved = chosen ?? (isNotOpen && isIn(closed.data));
  const isGone = isNotOpen && closed.isSuccess && !isIn(closed.data);
  const canWrite = useQuery(spaceQuery(place.space)).data?.permissions.comment ?? false;
  const status = isResolved ? "resolved" : "open";
  const found = useQuery(commentsQuery(place, page, status));
  const post = usePost(place, { page: target?.page ?? page, node: target?.node }, () => {
    setIsResolved(false);
    onTargetDone?.();
  });
  // The comments of reviews are shown with the reviews.
  const items = (found.data ?? []).filter((comment) => page !== undefined || (comment.target.review === undefined && (isResolved || !without?.has(comment.id))));
  const titles = useTitles(place, page === undefined && items.length > 0);
  return (
    <div className="review-comments">
      {canWrite && (
        <>
          {target && (
            <div className="review-target">
              <blockquote className="review-excerpt">{target.excerpt || review.thisBlock}</blockquote>
              <Button kind="quiet" isSmall onPress={() => onTargetDone?.()}>
                {review.withoutTarget}
              </Button>
            </div>
          )}
          <Write
            key={target?.node ?? ""}
            organization={place.organization}
            label={review.newComment}
            action={review.comment}
            draft={storeOf(place, `comment.${target?.page ?? page ?? ""}.${target?.node ?? ""}`)}
            isBusy={post.isPending}
            hasFocus={target !== undefined}
            onSend={(markdown) => post.mutateAsync(markdown)}
          />
        </>
      )}
      <Switch isSelected={isResolved} onChange={setIsResolved}>
        {review.showResolved}
      </Switch>
      {isGone && <p className="muted">{review.askedGone}</p>}
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <p className="muted">{isResolved ? review.noResolved : without?.size ? review.allBeside : review.noComments}</p>}
      {items.map((comment) => {
        const of = comment.target.page?.id;
        return (
          <WithExcerpt key={comment.id} place={place} page={of} node={comment.target.node?.id}>
            {(excerpt) => (
              <CommentItem
                place={place}
                comment={comment}
                canWrite={canWrite}
                excerpt={excerpt}
                pageTitle={page === undefined && of !== undefined ? titles(of) : undefined}
                onShow={onShow && of !== undefined ? () => onShow({ page: of, ...(comment.target.node && { node: comment.target.node.id }), ...(excerpt && { excerpt }) }) : undefined}
              />
            )}
          </WithExcerpt>
        );
      })}
    </div>
  );
}

function useTitles(place: Place, isNeeded: boolean): (page: string) => string | undefined {
  const pages = useQuery({ ...pagesQuery(place), enabled: isNeeded });
  const index = useMemo(() => indexOf(pages.data ?? NO_PAGES), [pages.data]);
  return (page) => index.get(page)?.page.title;
}

interface WithExcerptProps {
  place: Place;
  page: string | undefined;
  node: string | undefined;
  children: (excerpt: string | undefined) => React.ReactNode;
}

/** Passes the beginning of the text of a block to its children. */
function WithExcerpt({ place, page, node, children }: WithExcerptProps) {
  const found = useQuery({ ...pageQuery(place, page ?? ""), enabled: page !== undefined && node !== undefined, retry: false });
  const excerpt = useMemo(() => {
    const block = node === undefined || !found.data ? undefined : byKeys(nodesOf(found.data)).get(node);
    const text = block ? textOf(block) : "";
    return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT)}…` : text || undefined;
  }, [found.data, node]);
  return children(excerpt);
}
