import type { Command as EditorCommand } from "prosemirror-state";
import { NodeSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { useMemo } from "react";
import { Menu, MenuItem, Popover, Separator, SubmenuTrigger, Text } from "react-aria-components";

import { useMessages } from "../i18n";
import { Icon, type IconName } from "../ui";
import { apiBlockOf, type Picked } from "./api-blocks";
import { kindOf, type Target, TARGETS, turnInto } from "./convert";
import type { JsonNode } from "./document";
import { type BlockRange, blockRange, blocksOf, deleteBlocks, duplicateBlocks, moveBlocks } from "./ranges";

interface BlockMenuProps {
  view: EditorView;
  /** The position of the block. */
  at: number;
  beside: HTMLElement;
  onComment?: ((from: number, to: number) => void) | undefined;
  /** Lets the person choose other parts of a specification for a block. */
  onPick: (picked: Picked) => void;
  onClose: () => void;
}

/** Returns the blocks that the menu is for: the selected ones if the block is one of them. */
function rangeAt(view: EditorView, at: number): BlockRange | undefined {
  const { from, to } = view.state.selection;
  const selected = blockRange(view.state.doc, from, to);
  return selected && at >= selected.start && at < selected.end ? selected : blockRange(view.state.doc, at);
}

/** Returns the parts of a specification that the only block of a range shows. */
function pickedOf(range: BlockRange): Picked | undefined {
  const [node, ...others] = blocksOf(range);
  const json = node?.type.name === "atom" && others.length === 0 ? (node.attrs["json"] as JsonNode) : undefined;
  const kind = json && apiBlockOf(json)?.kind;
  return kind && { kind, json };
}

function withSelection(view: EditorView, range: BlockRange): void {
  const { from, to } = view.state.selection;
  const now = blockRange(view.state.doc, from, to);
  if (now?.start === range.start && now.end === range.end) return;
  view.dispatch(view.state.tr.setSelection(NodeSelection.create(view.state.doc, range.start)));
}

/** The menu of a block: what it turns into, moving, copying and deleting it. */
export function BlockMenu({ view, at, beside, onComment, onPick, onClose }: BlockMenuProps) {
  const { editor } = useMessages();
  const trigger = useMemo(() => ({ current: beside }), [beside]);
  const range = rangeAt(view, at);
  if (!range) return null;
  const kind = kindOf(range);
  const picked = pickedOf(range);
  const run = (command: EditorCommand) => {
    onClose();
    withSelection(view, range);
    command(view.state, view.dispatch.bind(view));
    requestAnimationFrame(() => view.focus());
  };
  const item = (id: string, label: string, icon: IconName, keys: string, command: EditorCommand) => (
    <MenuItem id={id} textValue={label} className="menu-item" isDisabled={!command(view.state, undefined)} onAction={() => run(command)}>
      <Icon name={icon} />
      <Text slot="label">{label}</Text>
      <kbd className="keys">{keys}</kbd>
    </MenuItem>
  );
  return (
    <Popover
      className="popover"
      triggerRef={trigger}
      isOpen
      placement="bottom start"
      onOpenChange={(isOpen) => {
        if (isOpen) return;
        onClose();
        view.focus();
      }}
    >
      <Menu className="menu" aria-label={editor.blockMenu} autoFocus="first">
        {picked && (
          <MenuItem
            textValue={editor.api.change[picked.kind]}
            className="menu-item"
            onAction={() => {
              onClose();
              onPick(picked);
            }}
          >
            <Icon name="code" />
            <Text slot="label">{editor.api.change[picked.kind]}</Text>
          </MenuItem>
        )}
        <SubmenuTrigger>
          <MenuItem textValue={editor.turnInto} className="menu-item">
            <Icon name="edit" />
            <Text slot="label">{editor.turnInto}</Text>
            <Icon name="chevron" />
          </MenuItem>
          <Popover className="popover">
            <Menu className="menu" aria-label={editor.turnInto} disabledKeys={kind ? [kind] : []} onAction={(target) => run(turnInto(target as Target))}>
              {TARGETS.map((target) => (
                <MenuItem key={target} id={target} className="menu-item">
                  {editor.slash[target]}
                </MenuItem>
              ))}
            </Menu>
          </Popover>
        </SubmenuTrigger>
        {onComment && (
          <MenuItem
            textValue={editor.comment}
            className="menu-item"
            onAction={() => {
              onClose();
              onComment(range.start, range.end);
            }}
          >
            <Icon name="comment" />
            <Text slot="label">{editor.comment}</Text>
          </MenuItem>
        )}
        <Separator className="editor-separator" />
        {item("duplicate", editor.duplicate, "copy", "Ctrl+D", duplicateBlocks)}
        {item("up", editor.moveUp, "back", "Alt+Shift+↑", moveBlocks(-1))}
        {item("down", editor.moveDown, "down", "Alt+Shift+↓", moveBlocks(1))}
        <MenuItem textValue={editor.deleteBlock} className="menu-item menu-danger" onAction={() => run(deleteBlocks)}>
          <Icon name="trash" />
          <Text slot="label">{editor.deleteBlock}</Text>
          <kbd className="keys">Ctrl+Shift+⌫</kbd>
        </MenuItem>
      </Menu>
    </Popover>
  );
}
