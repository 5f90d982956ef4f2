import { chainCommands } from "prosemirror-commands";
import { keymap } from "prosemirror-keymap";
import { Plugin } from "prosemirror-state";
import { goToNextCell, tableEditing } from "prosemirror-tables";

import { addRow } from "./tables";
import { isRemote } from "./unconfirmed";

/** Returns the plugins by which people select cells and move among them. The keys come before those of texts. */
export function tablePlugins() {
  return {
    keys: keymap({
      // Behind the last cell is a new row.
      Tab: chainCommands(goToNextCell(1), addRow),
      "Shift-Tab": goToNextCell(-1),
    }),
    cells: withoutOthers(tableEditing()),
  };
}

/** Returns a plugin that mends what this person wrote. Others mend what they write. */
function withoutOthers(plugin: Plugin): Plugin {
  const { appendTransaction, ...spec } = plugin.spec;
  return new Plugin({
    ...spec,
    appendTransaction: (transactions, before, state) => (transactions.every(isRemote) ? null : appendTransaction?.call(plugin, transactions, before, state)),
  });
}
