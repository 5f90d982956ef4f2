import { dropCursor } from "prosemirror-dropcursor";
import type { Plugin } from "prosemirror-state";

import { blockHandle, type HandleOptions } from "./block-handle";
import { steadyText } from "./steady";

/** Returns the plugins that a text does without until it is shown: the handle of a block, the place where something would be dropped, and the steady size of a text. */
export function laterPlugins(options: HandleOptions): Plugin[] {
  return [dropCursor({ width: 2, color: false, class: "editor-drop" }), blockHandle(options), steadyText()];
}
