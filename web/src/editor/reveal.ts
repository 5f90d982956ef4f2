import { NodeSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

import { keyOf } from "./block-keys";

/** Selects the block with a key and scrolls to it; does nothing if the page has no such block. */
export function revealBlock(view: EditorView, key: string): void {
  const { doc, tr } = view.state;
  let found: number | undefined;
  doc.descendants((node, at) => {
    if (found === undefined && keyOf(node) === key) found = at;
    return found === undefined;
  });
  if (found === undefined) return;
  const element = view.nodeDOM(found);
  const node = doc.nodeAt(found);
  if (node && NodeSelection.isSelectable(node)) view.dispatch(tr.setSelection(NodeSelection.create(doc, found)));
  if (element instanceof HTMLElement) element.scrollIntoView({ block: "center" });
}
