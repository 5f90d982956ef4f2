import type { EditorView } from "prosemirror-view";
import { useCallback, useEffect, useRef, useState } from "react";

import type { Following } from "../space/following";
import type { Person } from "./carets";
import { laterCarets } from "./later";

/** Returns who else writes the page, and the window that this one follows. */
export function usePeople({ user, follow: followPerson }: Following) {
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [pressed, setPressed] = useState<string>();
  const view = useRef<EditorView>(undefined);
  // Another window of the person is followed where the pressed one is not, such as on the next page.
  const windowIn = (present: readonly Person[]) => {
    const windows = present.filter((person) => person.user === user).map(({ client }) => client);
    return windows.find((client) => client === pressed) ?? windows[0];
  };
  const latest = useRef(windowIn);
  useEffect(() => {
    latest.current = windowIn;
  });

  const onPeople = useCallback((next: readonly Person[], shown: EditorView) => {
    view.current = shown;
    // Carets move without React.
    setPeople((now) => (now.map(({ client }) => client).join() === next.map(({ client }) => client).join() ? now : next));
    const followed = latest.current(next);
    if (followed !== undefined) laterCarets.now?.scrollToCaret(shown, followed);
  }, []);

  const follow = (person: Person | undefined) => {
    setPressed(person?.client);
    followPerson(person);
    if (person && view.current) laterCarets.now?.scrollToCaret(view.current, person.client);
  };
  return { people, followed: windowIn(people), onPeople, follow };
}
