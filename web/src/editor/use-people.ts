import type { EditorView } from "prosemirror-view";
import { useCallback, useEffect, useRef, useState } from "react";

import type { Person } from "./carets";
import { laterCarets } from "./later";

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
    if (latest.current !== undefined) laterCarets.now?.scrollToCaret(shown, latest.current);
  }, []);

  const follow = (client: string | undefined) => {
    setFollowed(client);
    if (client !== undefined && view.current) laterCarets.now?.scrollToCaret(view.current, client);
  };
  const isHere = people.some(({ client }) => client === followed);
  return { people, followed: isHere ? followed : undefined, onPeople, follow };
}
