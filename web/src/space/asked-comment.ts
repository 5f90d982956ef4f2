import { type RefObject, useEffect, useRef } from "react";
import { useSearch } from "wouter";

/** The comment that an address asks for, such as `?comment=7`, and the reply to it if it asks for one. */
export interface AskedComment {
  comment: string | undefined;
  reply: string | undefined;
}

/** Returns the comment that the present address asks for. */
export function useAskedComment(): AskedComment {
  const asked = new URLSearchParams(useSearch());
  return { comment: asked.get("comment") ?? undefined, reply: asked.get("reply") ?? undefined };
}

/** Returns a reference for the element of a comment or reply, and whether the address asks for it. It is scrolled into sight then. */
export function useArrival<T extends HTMLElement>(id: string | undefined): [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const { comment, reply } = useAskedComment();
  const isAsked = id !== undefined && id === (reply ?? comment);
  useEffect(() => {
    if (!isAsked) return;
    element.current?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: "center" });
  }, [isAsked]);
  return [element, isAsked];
}
