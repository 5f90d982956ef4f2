import type { EditorView } from "prosemirror-view";

/**
 * Brings the state of a view up to what the person selected just now. The browser tells of a selection
 * some time after it was made; a change by others that comes before would take it back.
 */
export function settle(view: EditorView): void {
  if (!view.isDestroyed && view.hasFocus() && !view.composing) document.dispatchEvent(new Event("selectionchange"));
}
