import { toggleMark } from "prosemirror-commands";
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable } from "prosemirror-tables";
import type { EditorView } from "prosemirror-view";
import { type RefObject, useEffect, useImperativeHandle, useMemo, useState } from "react";

import type { TreePage } from "../api/place";
import { useMessages } from "../i18n";
import { Button, IconButton, TextField } from "../ui";
import { type BlockName, BLOCKS, insertBlock } from "./blocks";
import { markType } from "./keys";
import type { Anchor, Beside } from "./prose-view";
import { schema } from "./schema";

/** A menu beside the text, which takes keys while the text keeps the focus. */
export interface KeyTaker {
  take: (event: KeyboardEvent) => boolean;
}

interface Entry {
  id: string;
  label: string;
  detail?: string | undefined;
}

interface ListProps {
  label: string;
  empty: string;
  anchor: Anchor;
  entries: readonly Entry[];
  taker: RefObject<KeyTaker | null>;
  onChoose: (id: string) => void;
  onClose: () => void;
}

/** A list below the text that arrows move in and Enter chooses from. */
function BesideList({ label, empty, anchor, entries, taker, onChoose, onClose }: ListProps) {
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [entries.length]);
  useImperativeHandle(taker, () => ({
    take(event) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      const chosen = entries[at];
      if (step !== 0 && entries.length > 0) setAt((at + step + entries.length) % entries.length);
      else if ((event.key === "Enter" || event.key === "Tab") && chosen) onChoose(chosen.id);
      else if (event.key === "Escape") onClose();
      else return false;
      event.preventDefault();
      return true;
    },
  }));
  const isAbove = anchor.bottom > innerHeight - 320 && anchor.top > 320;
  const style = {
    left: Math.min(anchor.left, innerWidth - 260),
    ...(isAbove ? { bottom: innerHeight - anchor.top + 4 } : { top: anchor.bottom + 4 }),
  };
  return (
    <div className="popover editor-beside" style={style} role="listbox" aria-label={label}>
      {entries.length === 0 && <p className="loading">{empty}</p>}
      {entries.map(({ id, label: text, detail }, index) => (
        <div
          key={id}
          role="option"
          aria-selected={index === at}
          className="menu-item"
          data-focused={index === at || undefined}
          ref={(item) => {
            if (index === at) item?.scrollIntoView({ block: "nearest" });
          }}
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(id);
          }}
          onMouseMove={() => setAt(index)}
        >
          <span>{text}</span>
          {detail && <small className="muted">{detail}</small>}
        </div>
      ))}
    </div>
  );
}

interface MenuProps {
  view: EditorView;
  beside: Beside;
  pages: readonly TreePage[];
  taker: RefObject<KeyTaker | null>;
  onImage: (from: number) => void;
  onComment?: ((from: number, to: number) => void) | undefined;
  onClose: () => void;
}

/** The menus beside the selection: blocks after `/`, pages after `[[` or `@`, and formats. */
export function Menus(props: MenuProps) {
  const { beside } = props;
  if (beside.slash) return <BlockMenu {...props} slash={beside.slash} />;
  if (beside.mention) return <PageMenu {...props} mention={beside.mention} />;
  if (beside.selection) return <Toolbar {...props} selection={beside.selection} />;
  return null;
}

function BlockMenu({ view, slash, taker, onImage, onClose }: MenuProps & { slash: NonNullable<Beside["slash"]> }) {
  const { editor } = useMessages();
  const asked = slash.query.trim().toLocaleLowerCase();
  const entries = useMemo(() => {
    const named = BLOCKS.map((id) => ({ id, label: editor.slash[id] }));
    return named.filter(({ label }) => label.toLocaleLowerCase().includes(asked));
  }, [editor, asked]);
  const choose = (id: string) => {
    if (id === "image") {
      view.dispatch(view.state.tr.delete(slash.from, view.state.selection.from));
      onImage(slash.from);
    } else {
      insertBlock(id as BlockName, slash.from)(view.state, view.dispatch.bind(view));
    }
    onClose();
    view.focus();
  };
  return <BesideList label={editor.blocks} empty={editor.noBlocks} anchor={slash.anchor} entries={entries} taker={taker} onChoose={choose} onClose={onClose} />;
}

interface FlatPage {
  id: string;
  label: string;
  detail: string;
}

function flat(pages: readonly TreePage[], above = ""): FlatPage[] {
  return pages.flatMap((page) => {
    const own = page.type === "document" ? [{ id: page.id, label: page.title, detail: above }] : [];
    const children = "pages" in page ? (page.pages as TreePage[]) : [];
    return [...own, ...flat(children, above ? `${above} › ${page.title}` : page.title)];
  });
}

function PageMenu({ view, mention, pages, taker, onClose }: MenuProps & { mention: NonNullable<Beside["mention"]> }) {
  const { editor } = useMessages();
  const all = useMemo(() => flat(pages), [pages]);
  const asked = mention.query.trim().toLocaleLowerCase();
  const entries = all.filter(({ label }) => label.toLocaleLowerCase().includes(asked)).slice(0, 12);
  const choose = (id: string) => {
    const page = all.find((one) => one.id === id);
    if (!page) return;
    const link = schema.text(page.label, [markType("link").create({ ref: { kind: "page", page: id } })]);
    view.dispatch(view.state.tr.replaceWith(mention.from, view.state.selection.from, [link, schema.text(" ")]).scrollIntoView());
    onClose();
    view.focus();
  };
  return <BesideList label={editor.links} empty={editor.noPages} anchor={mention.anchor} entries={entries} taker={taker} onChoose={choose} onClose={onClose} />;
}

const FORMATS = [
  ["bold", "bold", "Ctrl B"],
  ["italic", "italic", "Ctrl I"],
  ["strikethrough", "strikethrough", ""],
  ["code_mark", "inlineCode", "Ctrl E"],
] as const;

function Toolbar({ view, beside, selection, onComment, onClose }: MenuProps & { selection: NonNullable<Beside["selection"]> }) {
  const { editor } = useMessages();
  const [address, setAddress] = useState<string>();
  const { from, to, anchor } = selection;
  const run = (name: string) => {
    toggleMark(markType(name))(view.state, view.dispatch.bind(view));
    view.focus();
  };
  const link = (url: string) => {
    const transaction = view.state.tr.removeMark(from, to, markType("link"));
    if (url) transaction.addMark(from, to, markType("link").create({ ref: { kind: "url", url } }));
    view.dispatch(transaction);
    onClose();
    view.focus();
  };
  const linked = view.state.doc.rangeHasMark(from, to, markType("link"));
  const style = { left: Math.max(8, Math.min(anchor.left, innerWidth - 340)), top: Math.max(8, anchor.top - 44) };
  return (
    <div className="popover editor-toolbar" style={style} role="toolbar" aria-label={editor.toolbar}>
      {address === undefined ? (
        <>
          {FORMATS.map(([mark, text, keys]) => (
            <button
              key={mark}
              type="button"
              className="editor-format"
              data-format={mark}
              title={keys}
              aria-label={editor[text]}
              aria-pressed={view.state.doc.rangeHasMark(from, to, markType(mark))}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => run(mark)}
            >
              {editor[text].slice(0, 1)}
            </button>
          ))}
          <IconButton icon="link" label={editor.link} onPress={() => setAddress("")} />
          {linked && <IconButton icon="close" label={editor.removeLink} onPress={() => link("")} />}
          {onComment && <IconButton icon="comment" label={editor.comment} onPress={() => onComment(from, to)} />}
          {beside.isInTable && <TableTools view={view} />}
        </>
      ) : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            link(address.trim());
          }}
        >
          <TextField label={editor.linkAddress} value={address} onChange={setAddress} autoFocus />
          <Button type="submit" isSmall>
            {editor.applyLink}
          </Button>
        </form>
      )}
    </div>
  );
}

/** Buttons that change a table. */
function TableTools({ view }: { view: EditorView }) {
  const { editor } = useMessages();
  const tools = [
    [editor.addRow, addRowAfter],
    [editor.addColumn, addColumnAfter],
    [editor.deleteRow, deleteRow],
    [editor.deleteColumn, deleteColumn],
    [editor.deleteTable, deleteTable],
  ] as const;
  return tools.map(([label, command]) => (
    <Button
      key={label}
      isSmall
      kind="quiet"
      onPress={() => {
        command(view.state, view.dispatch.bind(view));
        view.focus();
      }}
    >
      {label}
    </Button>
  ));
}
