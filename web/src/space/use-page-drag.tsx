import { useRef } from "react";
import { DropIndicator, useDragAndDrop } from "react-aria-components";

import type { PageActions } from "./page-actions";
import { spotOfDrop, type TreeIndex } from "./tree";

/** Returns what lets rows of the tree be dragged to any place. */
export function usePageDrag(index: TreeIndex, actions: PageActions, canEdit: boolean) {
  const dragged = useRef<string>(undefined);
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: !canEdit,
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": index.get(String(key))?.page.title ?? "", "bindery-page": String(key) })),
    onDragStart: ({ keys }) => {
      dragged.current = [...keys].map(String)[0];
    },
    getDropOperation: (target) => {
      if (target.type !== "item" || dragged.current === undefined) return "cancel";
      return spotOfDrop(index, dragged.current, String(target.key), target.dropPosition) ? "move" : "cancel";
    },
    onMove: ({ keys, target }) => {
      const id = [...keys].map(String)[0];
      const page = id === undefined ? undefined : index.get(id)?.page;
      const spot = page && spotOfDrop(index, page.id, String(target.key), target.dropPosition);
      if (page && spot) actions.move(page, spot);
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className="space-drop" />,
  });
  return dragAndDropHooks;
}
