import { dropCursor } from "prosemirror-dropcursor";
import type { Plugin } from "prosemirror-state";

import { blockHandle, type HandleOptions } from "./block-handle";
import { maxDepth } from "./depth";
import { steadyText } from "./steady";

/** Returns the plugins that a text does without until it is shown: the handle of a block, the place where something would be dropped, the steady size of a text, and the limit of its depth. */
export function laterPlugins(options: HandleOptions & { onTooDeep: () => void }): Plugin[] {
  return [dropCursor({ width: 2, color: false, class: "editor-drop" }), blockHandle(options), steadyText(), maxDepth(options.onTooDeep)];
}
