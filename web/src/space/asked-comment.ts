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

/** What a person does that ends the automatic scrolling. */
const ENDS = ["wheel", "pointerdown", "keydown", "touchmove"];

/** Keeps an element in sight while what is above it is loaded, until the person does something. Returns a function that ends this. */
function keepInSight(element: HTMLElement): () => void {
  const show = () => element.scrollIntoView({ block: "center" });
  const observer = new ResizeObserver(show);
  for (let above = element.parentElement; above; above = above.parentElement) observer.observe(above);
  const end = () => {
    observer.disconnect();
    for (const name of ENDS) removeEventListener(name, end, true);
  };
  for (const name of ENDS) addEventListener(name, end, { capture: true, passive: true });
  show();
  return end;
}

/** Returns a reference for the element of a comment or reply, and whether the address asks for it. It is scrolled into sight then. */
export function useArrival<T extends HTMLElement>(id: string | undefined): [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const { comment, reply } = useAskedComment();
  const isAsked = id !== undefined && id === (reply ?? comment);
  useEffect(() => {
    if (!isAsked || !element.current) return;
    element.current.focus({ preventScroll: true });
    return keepInSight(element.current);
  }, [isAsked]);
  return [element, isAsked];
}
