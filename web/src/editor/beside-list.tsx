import { type RefObject, useEffect, useImperativeHandle, useState } from "react";

import type { Anchor } from "./beside";

/** A menu beside the text, which takes keys while the text keeps the focus. */
export interface KeyTaker {
  take: (event: KeyboardEvent) => boolean;
}

/** A line of a list beside the text. */
export interface Entry {
  id: string;
  label: string;
  detail?: string | undefined;
}

interface ListProps {
  label: string;
  empty: string;
  anchor: Anchor;
  entries: readonly Entry[];
  taker: RefObject<KeyTaker | null>;
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** Returns the style that puts a list below an anchor, or above it where there is no room. */
export function placeOf({ left, top, bottom }: Anchor, height = 320) {
  const isAbove = bottom > innerHeight - height && top > height;
  const inline = Math.max(8, Math.min(left, innerWidth - 264));
  return { left: inline, ...(isAbove ? { bottom: innerHeight - top + 4 } : { top: bottom + 4 }) };
}

/** A list below the text that arrows move in and Enter chooses from. */
export function BesideList({ label, empty, anchor, entries, taker, onChoose, onClose }: ListProps) {
  const [at, setAt] = useState(0);
  const first = entries[0]?.id;
  useEffect(() => setAt(0), [first, entries.length]);
  useImperativeHandle(taker, () => ({
    take(event) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const chosen = entries[at];
      if (step !== 0 && entries.length > 0) setAt((at + step + entries.length) % entries.length);
      else if ((event.key === "Enter" || event.key === "Tab") && chosen) onChoose(chosen.id);
      else if (event.key === "Escape") onClose();
      else return false;
      event.preventDefault();
      return true;
    },
  }));
  return (
    <div className="popover editor-beside" style={placeOf(anchor)}>
      {entries.length === 0 && <p className="loading">{empty}</p>}
      <div role="listbox" aria-label={label}>
        {entries.map(({ id, label: text, detail }, index) => (
          <div
            key={id}
            role="option"
            aria-selected={index === at}
            aria-label={text}
            className="menu-item"
            data-focused={index === at || undefined}
            ref={(item) => {
              if (index === at) item?.scrollIntoView({ block: "nearest" });
            }}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(id)}
            onMouseMove={() => setAt(index)}
          >
            <span className="grow">{text}</span>
            {detail && <small className="muted">{detail}</small>}
          </div>
        ))}
      </div>
    </div>
  );
}
