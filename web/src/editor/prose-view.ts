import "prosemirror-view/style/prosemirror.css";
import "prosemirror-tables/style/tables.css";
import "prosemirror-gapcursor/style/gapcursor.css";

import { dropCursor } from "prosemirror-dropcursor";
import { gapCursor } from "prosemirror-gapcursor";
import { history } from "prosemirror-history";
import type { Node } from "prosemirror-model";
import { EditorState, Plugin } from "prosemirror-state";
import { tableEditing } from "prosemirror-tables";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";

import { keys, rules } from "./keys";
import { imageOf, schema } from "./schema";
import { nodeViews, type Surroundings } from "./views";

/** The place where a menu for a text is shown, in coordinates of the window. */
export interface Anchor {
  left: number;
  top: number;
  bottom: number;
}

/** What is shown beside the selection. */
export interface Beside {
  /** The text after `/`, and where it begins. */
  slash?: { query: string; from: number; anchor: Anchor };
  /** The text after `[[` or `@`, and where it begins. */
  mention?: { query: string; from: number; anchor: Anchor };
  /** The selected text. */
  selection?: { from: number; to: number; anchor: Anchor };
  isInTable?: boolean;
}

interface Options extends Surroundings {
  doc: Node;
  label: string;
  isEditable: boolean;
  onChange: () => void;
  onBeside: (beside: Beside) => void;
  /** Returns `true` if a menu beside the text takes a key. */
  onKey: (event: KeyboardEvent) => boolean;
  onBlur: () => void;
  upload: (file: File) => Promise<Record<string, unknown> | undefined>;
}

/** Shows a hint in the empty text of the selection. */
function placeholder(text: string): Plugin {
  return new Plugin({
    props: {
      decorations({ doc, selection }) {
        const { $from, empty } = selection;
        const isShown = empty && $from.parent.type.name === "paragraph" && $from.parent.content.size === 0 && ($from.depth === 1 || doc.childCount === 1);
        if (!isShown) return null;
        return DecorationSet.create(doc, [Decoration.node($from.before(), $from.after(), { "data-placeholder": text })]);
      },
    },
  });
}

function besideOf(view: EditorView): Beside {
  const { selection } = view.state;
  const { $from, from, to, empty } = selection;
  let isInTable = false;
  for (let depth = $from.depth; depth > 0; depth -= 1) isInTable ||= $from.node(depth).type.name === "table";
  const anchorAt = (at: number): Anchor => {
    const { left, top, bottom } = view.coordsAtPos(at);
    return { left, top, bottom };
  };
  if (!empty) {
    const isText = $from.parent.isTextblock && !$from.parent.type.spec.code;
    return isText ? { selection: { from, to, anchor: anchorAt(from) }, isInTable } : { isInTable };
  }
  if (!$from.parent.isTextblock || $from.parent.type.spec.code) return {};
  const before = $from.parent.textBetween(Math.max(0, $from.parentOffset - 60), $from.parentOffset, undefined, "\ufffc");
  const slash = /(?:^|\s)\/([\p{L}\p{N} ]{0,30})$/u.exec(before);
  if (slash) {
    const query = slash[1] ?? "";
    const start = from - query.length - 1;
    return { slash: { query, from: start, anchor: anchorAt(start) }, isInTable };
  }
  const mention = /(?:\[\[|(?:^|\s)@)([^[\]@]{0,40})$/u.exec(before);
  if (mention) {
    const query = mention[1] ?? "";
    const start = from - query.length - (mention[0].startsWith("[[") ? 2 : 1);
    return { mention: { query, from: start, anchor: anchorAt(start) }, isInTable };
  }
  return { isInTable };
}

/** Creates the editable region of a page. */
export function createView(mount: HTMLElement, options: Options): EditorView {
  const plugins = [
    ...keys(),
    rules(),
    history({ newGroupDelay: 500 }),
    tableEditing(),
    dropCursor({ width: 2, class: "editor-drop" }),
    gapCursor(),
    placeholder(options.texts.placeholder),
  ];
  const insertFiles = (view: EditorView, files: File[], at: number) => {
    for (const file of files) {
      void options.upload(file).then((json) => {
        if (!json || view.isDestroyed) return;
        const position = view.state.doc.resolve(Math.min(at, view.state.doc.content.size));
        const after = position.depth > 0 ? position.after(1) : position.pos;
        view.dispatch(view.state.tr.insert(after, schema.node("atom", { json })));
      });
    }
  };
  const view: EditorView = new EditorView(
    { mount },
    {
      state: EditorState.create({ doc: options.doc, plugins }),
      nodeViews: nodeViews(options),
      editable: () => options.isEditable,
      attributes: { role: "textbox", "aria-multiline": "true", "aria-label": options.label, class: "editor-text", spellcheck: "true" },
      dispatchTransaction(transaction) {
        view.updateState(view.state.apply(transaction));
        if (transaction.docChanged && transaction.getMeta("remote") !== true) options.onChange();
        if (transaction.docChanged || transaction.selectionSet) options.onBeside(view.hasFocus() ? besideOf(view) : {});
      },
      handleKeyDown: (_view, event) => options.onKey(event),
      handleDOMEvents: {
        blur: () => {
          options.onBlur();
          return false;
        },
      },
      handlePaste(view, event) {
        const files = [...(event.clipboardData?.files ?? [])];
        const text = event.clipboardData?.getData("text/plain").trim() ?? "";
        if (files.length > 0 && !event.clipboardData?.getData("text/html")) {
          insertFiles(view, files, view.state.selection.from);
          return true;
        }
        if (/^https?:\/\/\S+\.(png|jpe?g|gif|webp|svg)$/i.test(text) && view.state.selection.empty) {
          view.dispatch(view.state.tr.replaceSelectionWith(schema.node("atom", { json: imageOf(text) })));
          return true;
        }
        return false;
      },
      handleDrop(view, event) {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return false;
        event.preventDefault();
        insertFiles(view, files, view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos ?? 0);
        return true;
      },
    },
  );
  return view;
}
