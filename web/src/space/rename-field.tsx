import { type RefObject, useLayoutEffect, useRef, useState } from "react";

import type { TreePage } from "../api/place";
import { useMessages } from "../i18n";

/** The time in milliseconds in which a menu that closes may still hold or take back the focus. */
const SETTLING = 400;

interface Props {
  page: TreePage;
  /** The element around the tree, in which the field is placed. */
  box: RefObject<HTMLElement | null>;
  /** Called with the new title, or without one if the title stays. */
  onEnd: (title?: string) => void;
}

/** A field over the title of a row. Enter and a click elsewhere keep what is typed, Escape does not. */
export function RenameField({ page, box, onEnd }: Props) {
  const { space } = useMessages();
  const [title, setTitle] = useState(page.title);
  const field = useRef<HTMLInputElement>(null);
  const hasEnded = useRef(false);
  const openedAt = useRef(0);

  useLayoutEffect(() => {
    const around = box.current;
    const row = around?.querySelector(`[role="row"][data-key="${CSS.escape(page.id)}"] .space-row-title`);
    const input = field.current;
    if (!around || !row || !input) return;
    const [outer, inner] = [around.getBoundingClientRect(), row.getBoundingClientRect()];
    input.style.insetBlockStart = `${inner.top - outer.top + inner.height / 2 - input.offsetHeight / 2}px`;
    input.style.left = `${inner.left - outer.left - 5}px`;
    input.style.inlineSize = `${Math.max(inner.width + 10, 80)}px`;
    openedAt.current = performance.now();
    let frame = 0;
    const claim = () => {
      if (document.activeElement !== input) {
        input.focus();
        if (document.activeElement === input) input.select();
      }
      if (performance.now() - openedAt.current < SETTLING) frame = requestAnimationFrame(claim);
    };
    claim();
    return () => cancelAnimationFrame(frame);
  }, [box, page.id]);

  const end = (value?: string) => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    onEnd(value?.trim());
  };
  return (
    <input
      ref={field}
      className="space-rename"
      aria-label={space.titleOf(page.title)}
      value={title}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={() => {
        if (performance.now() - openedAt.current >= SETTLING && document.hasFocus()) end(title);
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter" && !event.nativeEvent.isComposing) end(title);
        if (event.key === "Escape") end();
      }}
    />
  );
}
