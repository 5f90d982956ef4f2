import { ToggleButton } from "react-aria-components";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { emojiText } from "../space/emoji-text";

/** The emojis that are offered, as code points in hexadecimal. */
export const OFFERED_REACTIONS = ["1f44d", "1f44e", "2764", "1f389", "1f440", "1f680"];

interface Props {
  reactions: Schemas["EmojiReactions"];
  /** The id of the person who reads. */
  user: string;
  canReact: boolean;
  onReact: (emoji: string, isAdded: boolean) => void;
}

/** The reactions to a comment with their numbers; a press adds or removes one's own. */
export function Reactions({ reactions, user, canReact, onReact }: Props) {
  const { review } = useMessages();
  if (reactions.length === 0) return null;
  return (
    <div className="review-reactions" role="group" aria-label={review.reactions}>
      {reactions.map(({ emoji, count, users }) => {
        const names = users.map((one) => one.user.displayName).join(", ");
        return (
          <ToggleButton
            key={emoji}
            className="review-reaction"
            isDisabled={!canReact}
            isSelected={users.some((one) => one.user.id === user)}
            aria-label={review.reactionBy(emojiText(emoji), names)}
            onChange={(isAdded) => onReact(emoji, isAdded)}
          >
            <span aria-hidden="true">
              {emojiText(emoji)} {count}
            </span>
          </ToggleButton>
        );
      })}
    </div>
  );
}
