import type { EditorView } from "prosemirror-view";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

import type { Beside } from "./beside";
import { laterMarkdown, laterMenus, whenIdle } from "./later";

type Menus = NonNullable<typeof laterMenus.now>;

const LIST_KEYS = new Set(["ArrowDown", "ArrowUp", "Enter", "Escape", "Tab"]);

function isFor({ slash, mention, emoji, selection }: Beside, { key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const hasModifier = ctrlKey || metaKey;
  if (slash || mention || emoji?.query) return !hasModifier && LIST_KEYS.has(key);
  return selection !== undefined && hasModifier && key.toLowerCase() === "k";
}

/** Does what a key does that was pressed earlier. */
function press(view: EditorView, event: KeyboardEvent): void {
  if (view.isDestroyed || view.someProp("handleKeyDown", (handle) => handle(view, event))) return;
  const { key, ctrlKey, metaKey } = event;
  if (key.length > 1 || ctrlKey || metaKey) return;
  const { from, to } = view.state.selection;
  const typed = () => view.state.tr.insertText(key, from, to);
  if (!view.someProp("handleTextInput", (handle) => handle(view, from, to, key, typed))) view.dispatch(typed().scrollIntoView());
}

/**
 * Returns the menus beside the text. They are loaded when the page is shown, or when one is asked
 * for. Keys for a menu that is being loaded, and those after them, wait for it.
 */
export function useMenus(view: EditorView | undefined, isAsked: boolean): { menus: Menus | undefined; hold: (event: KeyboardEvent, beside: Beside) => boolean } {
  const [menus, setMenus] = useState(laterMenus.now);
  const held = useRef<KeyboardEvent[]>([]);
  const release = () => {
    for (const event of held.current.splice(0)) if (view) flushSync(() => press(view, event));
  };
  useEffect(() => {
    if (!view) return;
    // React permits no changes at once in its effects.
    if (menus) return queueMicrotask(release);
    const load = () => void laterMenus.load().then(setMenus, release);
    if (isAsked) return load();
    return whenIdle(() => {
      load();
      laterMarkdown.load().catch(() => {});
    });
  }, [view, menus, isAsked]);
  const hold = (event: KeyboardEvent, beside: Beside) => {
    const isHeld = laterMenus.isLoading && (held.current.length > 0 || isFor(beside, event));
    if (!isHeld) return false;
    event.preventDefault();
    held.current.push(event);
    return true;
  };
  return { menus, hold };
}
