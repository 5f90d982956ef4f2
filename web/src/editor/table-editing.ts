import { chainCommands } from "prosemirror-commands";
import { keymap } from "prosemirror-keymap";
import { goToNextCell, tableEditing } from "prosemirror-tables";

import { addRow } from "./tables";

/** Returns the plugins by which people select cells and move among them. The keys come before those of texts. */
export function tablePlugins() {
  return {
    keys: keymap({
      // Behind the last cell is a new row.
      Tab: chainCommands(goToNextCell(1), addRow),
      "Shift-Tab": goToNextCell(-1),
    }),
    cells: tableEditing(),
  };
}
