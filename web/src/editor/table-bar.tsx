import type { Command as EditorCommand } from "prosemirror-state";
import { deleteColumn, deleteRow, deleteTable } from "prosemirror-tables";
import { useState } from "react";

import { useMessages } from "../i18n";
import { Button, Checkbox, Dialog, Menu, TextField } from "../ui";
import type { Beside } from "./beside";
import type { MenuProps } from "./menus";
import { addColumn, addRow, COLUMN_TYPES, columnOf, optionLabels, setCardField, setColumnOptions, setColumnType, setTableView, tableAt, toggleColumn, toggleHeader } from "./tables";

/** Commands for the table that the cursor is in. */
export function TableBar({ view, table }: MenuProps & { table: NonNullable<Beside["table"]> }) {
  const { editor } = useMessages();
  const [options, setOptions] = useState<{ text: string; isMultiple: boolean }>();
  const found = tableAt(view.state);
  if (!found) return null;
  const run = (command: EditorCommand) => {
    command(view.state, view.dispatch.bind(view));
    requestAnimationFrame(() => view.focus());
  };
  const column = columnOf(found);
  const isCards = found.table.attrs["view"] === "cards";
  const { left, top } = table.anchor;
  const canBeCover = isCards && column.type === "image";
  const canBeTarget = isCards && column.type === "content-ref";
  return (
    <div className="popover editor-toolbar" style={{ left: Math.max(8, Math.min(left, innerWidth - 320)), top: Math.max(52, top - 42) }} role="toolbar" aria-label={editor.table}>
      <Button isSmall kind="quiet" icon="plus" onPress={() => run(addRow)}>
        {isCards ? editor.addCard : editor.addRow}
      </Button>
      <Button isSmall kind="quiet" icon="plus" onPress={() => run(addColumn)}>
        {editor.addColumn}
      </Button>
      <Menu
        label={editor.columnMenu}
        commands={[
          ...COLUMN_TYPES.map((type) => ({
            id: type,
            label: editor.columnType(editor.columnTypes[type] ?? type),
            isDisabled: type === column.type,
            run: () => run(setColumnType(type)),
          })),
          ...(column.type === "select"
            ? [{ id: "options", label: editor.columnOptions, run: () => setOptions({ text: optionLabels(column).join("\n"), isMultiple: column["multiple"] === true }) }]
            : []),
          ...(canBeCover ? [{ id: "cover", label: editor.useAsCover, run: () => run(setCardField("coverDefinition")) }] : []),
          ...(canBeTarget ? [{ id: "target", label: editor.useAsTarget, run: () => run(setCardField("targetDefinition")) }] : []),
          { id: "hide", label: editor.toggleColumn, run: () => run(toggleColumn) },
          { id: "delete", label: editor.deleteColumn, isDanger: true, run: () => run(deleteColumn) },
        ]}
      >
        {editor.column}
      </Menu>
      <Menu
        label={editor.tableMenu}
        commands={[
          { id: "view", label: isCards ? editor.showAsTable : editor.showAsCards, run: () => run(setTableView(isCards ? "grid" : "cards")) },
          ...(isCards ? [] : [{ id: "header", label: editor.toggleHeader, run: () => run(toggleHeader) }]),
          { id: "row", label: editor.deleteRow, run: () => run(deleteRow) },
          { id: "table", label: editor.deleteTable, isDanger: true, run: () => run(deleteTable) },
        ]}
      />
      {options && (
        <Dialog
          title={editor.columnOptions}
          isOpen
          onClose={() => setOptions(undefined)}
          footer={
            <Button
              kind="primary"
              onPress={() => {
                const labels = options.text.split("\n").map((line) => line.trim()).filter(Boolean);
                setOptions(undefined);
                run(setColumnOptions([...new Set(labels)], options.isMultiple));
              }}
            >
              {editor.applyLink}
            </Button>
          }
        >
          <div className="stack">
            <TextField label={editor.optionsLabel} isMultiline rows={6} value={options.text} onChange={(text) => setOptions({ ...options, text })} autoFocus />
            <Checkbox isSelected={options.isMultiple} onChange={(isMultiple) => setOptions({ ...options, isMultiple })}>
              {editor.severalOptions}
            </Checkbox>
          </div>
        </Dialog>
      )}
    </div>
  );
}
