import { useMessages } from "../i18n";
import { Icon } from "../ui";
import { CommentCount } from "./comment-count";
import type { Difference } from "./difference";
import type { PageComments } from "./placed";
import { idOf } from "./seen";

const KINDS = ["page", "file", "reusable-content", "variable"] as const;

function cardOf(id: string): HTMLElement | null {
  return document.getElementById(`change-${id}`);
}

/** Returns true if the changes of an item are on the screen. */
export function isShown(id: string): boolean {
  return cardOf(id) !== null;
}

/** Moves the focus to the changes of an item. */
export function showChange(id: string): void {
  const card = cardOf(id);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "start" });
}

interface Props {
  differences: readonly Difference[];
  seen: ReadonlySet<string>;
  placed: ReadonlyMap<string, PageComments>;
  /** True to show the list only after a press. */
  isFolded: boolean;
}

/** The changed items by kinds, with marks on those that were seen or have comments. */
export function Contents({ differences, seen, placed, isFolded }: Props) {
  const { review, shell } = useMessages();
  if (differences.length === 0) return <div />;
  const lists = KINDS.map((kind) => {
    const items = differences.filter((one) => one.kind === kind);
    if (items.length === 0) return null;
    return (
      <div key={kind}>
        <h2>{review.kinds[kind]}</h2>
        <ul>
          {items.map((difference) => {
            const isSeen = seen.has(idOf(difference));
            return (
              <li key={difference.id}>
                <button type="button" data-change={difference.change} data-seen={isSeen || undefined} onClick={() => showChange(difference.id)}>
                  <span className="review-dot" aria-hidden="true" />
                  <span className="review-contents-title">{difference.title || difference.path || shell.untitled}</span>
                  <span className="visually-hidden">{review.changed[difference.change]}</span>
                  <CommentCount count={placed.get(difference.id)?.count ?? 0} />
                  {isSeen && (
                    <span className="review-seen">
                      <Icon name="check" />
                      <span className="visually-hidden">{review.seen}</span>
                    </span>
                  )}
                </button>
              </li>
            );
          })}
        </ul>
      </div>
    );
  });
  return (
    <nav className="review-contents" aria-label={review.changedItems}>
      {isFolded ? (
        <details>
          <summary>{review.changedCount(differences.length)}</summary>
          {lists}
        </details>
      ) : (
        lists
      )}
    </nav>
  );
}
