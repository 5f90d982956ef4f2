import type { EditorView } from "prosemirror-view";
import { useCallback, useEffect, useRef, useState } from "react";

import { useMessages } from "../i18n";
import { Avatar } from "../ui";
import { colourOf, type Person, scrollToCaret } from "./carets";

/** Maximum number of people that are shown; a number stands for the others. */
const MOST = 5;

/** Returns who else writes the page, and whom this window follows. */
export function usePeople() {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [followed, setFollowed] = useState<string>();
  const view = useRef<EditorView>(undefined);
  const latest = useRef<string>(undefined);
  useEffect(() => {
    latest.current = followed;
  });

  const onPeople = useCallback((next: readonly Person[], shown: EditorView) => {
    view.current = shown;
    // Carets move without React.
    setPeople((now) => (now.map(({ client }) => client).join() === next.map(({ client }) => client).join() ? now : next));
    if (latest.current !== undefined) scrollToCaret(shown, latest.current);
  }, []);

  const follow = (client: string | undefined) => {
    setFollowed(client);
    if (client !== undefined && view.current) scrollToCaret(view.current, client);
  };
  const isHere = people.some(({ client }) => client === followed);
  return { people, followed: isHere ? followed : undefined, onPeople, follow };
}

interface Props {
  people: readonly Person[];
  followed: string | undefined;
  onFollow: (client: string | undefined) => void;
}

/** Shows who else writes the page. A press on a person follows them. */
export function PeopleHere({ people, followed, onFollow }: Props) {
  const { editor } = useMessages();
  if (people.length === 0) return null;
  const more = people.length - MOST;
  return (
    <ul className="editor-people" aria-label={editor.alsoHere}>
      {people.slice(0, MOST).map(({ client, user, name }) => (
        <li key={client}>
          <button
            type="button"
            className="editor-person"
            data-colour={colourOf(user)}
            aria-pressed={followed === client}
            aria-label={editor.follow(name)}
            title={editor.follow(name)}
            onClick={() => onFollow(followed === client ? undefined : client)}
          >
            <Avatar name={name} />
          </button>
        </li>
      ))}
      {more > 0 && <li className="muted">+{more}</li>}
    </ul>
  );
}
