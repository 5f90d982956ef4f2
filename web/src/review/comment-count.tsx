import { useMessages } from "../i18n";
import { Icon } from "../ui";

/** The number of comments; nothing if there are none. */
export function CommentCount({ count }: { count: number }) {
  const { review } = useMessages();
  if (count === 0) return null;
  return (
    <span className="review-count" title={review.commentCount(count)}>
      <Icon name="comment" />
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{review.commentCount(count)}</span>
    </span>
  );
}
