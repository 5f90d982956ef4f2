import { dropCursor } from "prosemirror-dropcursor";
import type { Plugin } from "prosemirror-state";

import { blockHandle, type HandleOptions } from "./block-handle";

/** Returns the plugins that help the pointer: the handle of a block, and the place where something would be dropped. */
export function pointerPlugins(options: HandleOptions): Plugin[] {
  return [dropCursor({ width: 2, color: false, class: "editor-drop" }), blockHandle(options)];
}
