import { toggleMark } from "prosemirror-commands";
import { useImperativeHandle, useState } from "react";

import { useMessages } from "../i18n";
import { IconButton, Menu } from "../ui";
import type { Beside } from "./beside";
import { kindOf, TARGETS, turnInto } from "./convert";
import { markType } from "./keys";
import { LinkForm } from "./link-form";
import type { MenuProps } from "./menus";
import { blockRange } from "./ranges";
import type { Ref } from "./view-parts";

const FORMATS = [
  ["bold", "bold", "Ctrl+B"],
  ["italic", "italic", "Ctrl+I"],
  ["strikethrough", "strikethrough", "Ctrl+Shift+X"],
  ["code_mark", "inlineCode", "Ctrl+E"],
] as const;
const MORE = ["superscript", "subscript", "keyboard"] as const;
const COLORS = ["default", "red", "orange", "yellow", "green", "blue", "purple"] as const;

/** The formats of the selected text, links and comments. */
export function Toolbar({ view, selection, pages, taker, onComment, onClose }: MenuProps & { selection: NonNullable<Beside["selection"]> }) {
  const { editor } = useMessages();
  const [isLinking, setIsLinking] = useState(false);
  const { from, to, anchor } = selection;
  const { doc } = view.state;
  useImperativeHandle(taker, () => ({
    take(event) {
      if (event.key.toLowerCase() !== "k" || (!event.ctrlKey && !event.metaKey)) return false;
      event.preventDefault();
      setIsLinking(true);
      return true;
    },
  }));
  const run = (name: string, attrs?: Record<string, unknown>) => {
    toggleMark(markType(name), attrs ?? null)(view.state, view.dispatch.bind(view));
    view.focus();
  };
  const link = (ref: Ref | undefined) => {
    const transaction = view.state.tr.removeMark(from, to, markType("link"));
    if (ref) transaction.addMark(from, to, markType("link").create({ ref }));
    view.dispatch(transaction);
    onClose();
    view.focus();
  };
  const color = (kind: "text" | "background", name: string) => {
    const transaction = view.state.tr;
    doc.nodesBetween(from, to, (node, at) => {
      if (!node.isText) return;
      const [start, end] = [Math.max(from, at), Math.min(to, at + node.nodeSize)];
      const now = node.marks.find(({ type }) => type.name === "color")?.attrs;
      const next = { text: "default", background: "default", ...now, [kind]: name, [`${kind}Hex`]: null } as Record<string, string | null>;
      const isPlain = Object.values(next).every((one) => one === null || one === "default");
      if (isPlain) transaction.removeMark(start, end, markType("color"));
      else transaction.addMark(start, end, markType("color").create(next));
    });
    view.dispatch(transaction);
    view.focus();
  };
  const range = blockRange(doc, from, to);
  const kind = range && kindOf(range);
  const linked = doc.rangeHasMark(from, to, markType("link"));
  const style = { left: Math.max(8, Math.min(anchor.left, innerWidth - 420)), top: Math.max(8, anchor.top - 46) };
  return (
    <div className="popover editor-toolbar" style={style} role="toolbar" aria-label={editor.toolbar}>
      {isLinking ? (
        <LinkForm
          pages={pages}
          value=""
          onDone={link}
          onCancel={() => {
            setIsLinking(false);
            view.focus();
          }}
        />
      ) : (
        <>
          <Menu
            label={editor.turnInto}
            commands={TARGETS.map((target) => ({
              id: target,
              label: editor.slash[target],
              isDisabled: target === kind,
              run: () => {
                turnInto(target)(view.state, view.dispatch.bind(view));
                requestAnimationFrame(() => view.focus());
              },
            }))}
          >
            {kind ? editor.slash[kind] : editor.turnInto}
          </Menu>
          {FORMATS.map(([mark, text, keys]) => (
            <button
              key={mark}
              type="button"
              className="editor-format"
              data-format={mark}
              title={`${editor[text]} ${keys}`}
              aria-label={editor[text]}
              aria-pressed={doc.rangeHasMark(from, to, markType(mark))}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => run(mark)}
            >
              <span aria-hidden="true">{editor.formatSigns[text]}</span>
            </button>
          ))}
          <IconButton icon="link" label={editor.link} onPress={() => setIsLinking(true)} />
          {linked && <IconButton icon="close" label={editor.removeLink} onPress={() => link(undefined)} />}
          {onComment && <IconButton icon="comment" label={editor.comment} onPress={() => onComment(from, to)} />}
          <Menu
            label={editor.moreFormats}
            commands={[
              ...MORE.map((mark) => ({ id: mark, label: editor.formats[mark] ?? mark, run: () => run(mark) })),
              ...COLORS.map((name) => ({ id: `text-${name}`, label: editor.textColor(editor.colors[name] ?? name), run: () => color("text", name) })),
              ...COLORS.map((name) => ({ id: `mark-${name}`, label: editor.background(editor.colors[name] ?? name), run: () => color("background", name) })),
            ]}
          />
        </>
      )}
    </div>
  );
}
