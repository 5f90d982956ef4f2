import { useRef, useState } from "react";

import { draftOf, isChanged, type Overlay, type OverlayDraft } from "./overlays";

/** Overlays that are being edited, and what changes them. */
export interface Drafts {
  /** The overlays; the saved ones until something changes. */
  list: readonly OverlayDraft[];
  isChanged: boolean;
  set: (drafts: readonly OverlayDraft[]) => void;
  /** Adds an overlay whose fields are open, and returns its id. */
  add: () => number;
  /** Forgets what was changed. */
  discard: () => void;
  isOpen: (id: number) => boolean;
  setOpen: (id: number, isOpen: boolean) => void;
}

export function useDrafts(saved: readonly Overlay[]): Drafts {
  const [edited, setEdited] = useState<readonly OverlayDraft[]>();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const lastId = useRef(0);
  const list = edited ?? saved.map((overlay, at) => draftOf(at, overlay));
  const setOpen = (id: number, isOpen: boolean) => setOpened((now) => new Set(isOpen ? [...now, id] : [...now].filter((other) => other !== id)));
  return {
    list,
    isChanged: edited !== undefined && isChanged(edited, saved),
    set: setEdited,
    add: () => {
      lastId.current = Math.max(lastId.current, ...list.map(({ id }) => id)) + 1;
      setEdited([...list, draftOf(lastId.current)]);
      setOpen(lastId.current, true);
      return lastId.current;
    },
    discard: () => {
      setEdited(undefined);
      setOpened(new Set());
    },
    isOpen: (id) => opened.has(id),
    setOpen,
  };
}
