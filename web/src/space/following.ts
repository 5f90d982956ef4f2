import { useCallback, useEffect, useRef, useState } from "react";

import { keyOf, type Place } from "../api/place";
import type { PeopleRead } from "./people-by-page";

/** Milliseconds after which a person who is on no page is not followed any more. */
const MAX_ABSENCE = 120_000;

/** Keys that change a text without an event of their own. */
const EDITING_KEYS = new Set(["Enter", "Backspace", "Delete"]);

/** A person whom the window follows. */
export interface Followed {
  user: string;
  name: string;
}

/** Following a person in the text of a page, and on to others. */
export interface Following {
  /** The id of the person whom the window follows. */
  user: string | undefined;
  follow: (person: Followed | undefined) => void;
}

/** The page to go to; or whether the window stays, or stops to follow. */
export type NextStep = { page: string } | "stay" | "end";

/**
 * Returns the next step on the way after a person, from the pages that they are on, the page that is
 * shown and the milliseconds since they were seen.
 */
export function nextStep(pages: readonly string[], shown: string | undefined, absence: number): NextStep {
  const [page] = pages;
  if (page === undefined) return absence > MAX_ABSENCE ? "end" : "stay";
  return shown !== undefined && pages.includes(shown) ? "stay" : { page };
}

/** Returns `true` for a key that ends following: Escape, and what is typed into a text. */
export function endsFollowing({ key, target, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "target" | "ctrlKey" | "metaKey">): boolean {
  if (key === "Escape") return true;
  const isText = target instanceof Element && target.closest("input, textarea, [contenteditable='true']") !== null;
  return isText && !ctrlKey && !metaKey && (key.length === 1 || EDITING_KEYS.has(key));
}

/** Calls the function when the person writes or presses Escape. Returns a function that revokes it. */
function whenWriting(end: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (endsFollowing(event)) end();
  };
  const changes = ["beforeinput", "cut", "paste", "drop"] as const;
  document.addEventListener("keydown", onKey);
  for (const change of changes) document.addEventListener(change, end);
  return () => {
    document.removeEventListener("keydown", onKey);
    for (const change of changes) document.removeEventListener(change, end);
  };
}

/** Returns whom the window follows in a place until another place or, by the person themself, another page is opened. */
export function useFollowed(place: Place, page: string | undefined) {
  const [followed, setFollowed] = useState<Followed & { since: number }>();
  const nameOf = (one: string | undefined) => [...keyOf(place), one].join("/");
  const here = nameOf(page);
  /** The page on which following goes on. */
  const expected = useRef(here);
  const follow = useCallback(
    (person: Followed | undefined) => {
      expected.current = here;
      setFollowed(person && { ...person, since: Date.now() });
    },
    [here],
  );
  useEffect(() => {
    if (expected.current !== here) setFollowed(undefined);
  }, [here]);
  useEffect(() => (followed ? whenWriting(() => setFollowed(undefined)) : undefined), [followed]);
  const expect = (next: string | undefined) => {
    expected.current = nameOf(next);
  };
  return { followed, follow, expect, isOnWay: () => expected.current === here };
}

interface Way {
  /** The page that is shown. */
  page: string | undefined;
  /** The people on the pages; absent if the window stays on its page. */
  read: PeopleRead | undefined;
  /** Shows another page. Returns `false` if the page is not known yet. */
  onGo: (page: string, person: Followed) => boolean;
}

/** Goes to the page of the followed person when they are no longer on the one that is shown. */
export function useWayAfter({ followed, follow, expect, isOnWay }: ReturnType<typeof useFollowed>, { page, read, onGo }: Way): void {
  const seen = useRef(0);
  useEffect(() => {
    if (!followed || !isOnWay()) return;
    // What was read before may name a page that the person has left for this one.
    if (!read || read.at <= followed.since) return;
    const pages = read.people.flatMap((one) => (one.user.id === followed.user ? [one.page] : []));
    if (pages.length > 0 || seen.current < followed.since) seen.current = read.at;
    const next = nextStep(pages, page, read.at - seen.current);
    if (next === "end") follow(undefined);
    else if (next !== "stay") {
      expect(next.page);
      if (!onGo(next.page, followed)) expect(page);
    }
  }, [followed, page, read, onGo]);
}
