import type { Node } from "prosemirror-model";
import type { EditorView } from "prosemirror-view";
import { type RefObject, useMemo } from "react";

import type { Place } from "../api/place";
import { useMessages } from "../i18n";
import { emojiCode } from "../space/emoji-text";
import { searchText } from "../search-text";
import { searchEmoji } from "../space/emojis";
import type { Picked } from "./api-blocks";
import type { Beside, Typed } from "./beside";
import { BesideList, type KeyTaker } from "./beside-list";
import { API_PARTS, type BlockName, BLOCKS, insertBlock } from "./blocks";
import { nodeType } from "./keys";
import { LinkBar } from "./link-bar";
import type { FlatPage } from "./pages";
import { ReferenceList } from "./references";
import { TableBar } from "./table-bar";
import { Toolbar } from "./toolbar";
import type { Ref } from "./view-parts";

export { BlockMenu } from "./block-menu";

export interface MenuProps {
  view: EditorView;
  beside: Beside;
  place: Place;
  pages: readonly FlatPage[];
  taker: RefObject<KeyTaker | null>;
  onComment?: ((from: number, to: number) => void) | undefined;
  onOpen: (ref: Ref, isNewWindow: boolean) => void;
  /** Lets the person choose parts of a specification for a new block. */
  onPick: (picked: Picked) => void;
  onClose: () => void;
}

/** The menus beside the selection: blocks after `/`, references after `[[` or `@`, emoji after `:`, formats, links and tables. */
export function Menus(props: MenuProps) {
  const { beside } = props;
  return (
    <>
      {beside.slash && <BlockList {...props} typed={beside.slash} />}
      {beside.mention && <References {...props} typed={beside.mention} />}
      {beside.emoji && beside.emoji.query !== "" && <EmojiList {...props} typed={beside.emoji} />}
      {beside.selection && <Toolbar {...props} selection={beside.selection} />}
      {beside.link && <LinkBar {...props} link={beside.link} />}
      {beside.table && !beside.selection && <TableBar {...props} table={beside.table} />}
    </>
  );
}

type ListProps = MenuProps & { typed: Typed };

function BlockList({ view, typed, taker, onPick, onClose }: ListProps) {
  const { editor } = useMessages();
  const asked = searchText(typed.query.trim());
  const entries = useMemo(() => {
    const named = BLOCKS.map(([id, detail]) => ({ id, detail, label: editor.slash[id], words: editor.slashWords[id] ?? "" }));
    const found = named.flatMap((entry) => {
      const at = searchText(entry.label).indexOf(asked);
      const rank = at === 0 ? 0 : at > 0 ? 1 : searchText(entry.words).includes(asked) ? 2 : -1;
      return rank < 0 ? [] : [{ ...entry, rank }];
    });
    return found.sort((a, b) => a.rank - b.rank);
  }, [editor, asked]);
  const choose = (id: string) => {
    onClose();
    const kind = API_PARTS[id as BlockName];
    if (kind !== undefined) {
      view.dispatch(view.state.tr.delete(typed.from, view.state.selection.from));
      return onPick({ kind });
    }
    insertBlock(id as BlockName, typed.from)(view.state, view.dispatch.bind(view));
    focusBlock(view);
  };
  return <BesideList label={editor.blocks} empty={editor.noBlocks} anchor={typed.anchor} entries={entries} taker={taker} onChoose={choose} onClose={onClose} />;
}

/** Puts the focus into the first field of a new block, or into the text. */
function focusBlock(view: EditorView): void {
  view.focus();
  const { selection } = view.state;
  const dom = view.nodeDOM(selection.from);
  const field = dom instanceof HTMLElement && dom.classList.contains("editor-atom") ? dom.querySelector<HTMLElement>("input:not([type=file]), textarea") : null;
  field?.focus();
}

function References({ view, typed, place, pages, taker, onClose }: ListProps) {
  const choose = (nodes: Node[], isBlock: boolean) => {
    onClose();
    const { from } = view.state.selection;
    const transaction = view.state.tr;
    if (isBlock && nodes[0]) {
      transaction.delete(typed.from, from);
      const { $from } = transaction.selection;
      const isEmpty = $from.parent.content.size === 0;
      if (isEmpty) transaction.replaceWith($from.before(), $from.after(), nodes[0]);
      else transaction.insert($from.after(), nodes[0]);
    } else {
      transaction.replaceWith(typed.from, from, nodes);
    }
    view.dispatch(transaction.scrollIntoView());
    view.focus();
  };
  return <ReferenceList doc={view.state.doc} place={place} typed={typed} pages={pages} taker={taker} onChoose={choose} onClose={onClose} />;
}

function EmojiList({ view, typed, taker, onClose }: ListProps) {
  const { editor } = useMessages();
  const found = searchEmoji(typed.query).slice(0, 12);
  const entries = found.map(([emoji, name]) => ({ id: emoji, label: `${emoji} ${name}` }));
  if (entries.length === 0) return null;
  const choose = (emoji: string) => {
    onClose();
    const json = { object: "inline", type: "emoji", isVoid: true, data: { code: emojiCode(emoji.replaceAll("\ufe0f", "")) } };
    view.dispatch(view.state.tr.replaceWith(typed.from, view.state.selection.from, nodeType("inline_atom").create({ json })).scrollIntoView());
    view.focus();
  };
  return <BesideList label={editor.emojis} empty="" anchor={typed.anchor} entries={entries} taker={taker} onChoose={choose} onClose={onClose} />;
}
