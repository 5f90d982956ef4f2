import type { EditorState } from "prosemirror-state";
import { Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

/** The place where a menu for a text is shown, in coordinates of the window. */
export interface Anchor {
  left: number;
  top: number;
  bottom: number;
}

/** A sign in the text with what was typed after it. */
export interface Typed {
  query: string;
  from: number;
  anchor: Anchor;
}

/** What is shown beside the selection. */
export interface Beside {
  /** The text after `/`. */
  slash?: Typed;
  /** The text after `[[` or `@`. */
  mention?: Typed;
  /** The text after `:`. */
  emoji?: Typed;
  /** The selected text. */
  selection?: { from: number; to: number; anchor: Anchor };
  /** The link that the cursor is in. */
  link?: { from: number; to: number; anchor: Anchor };
  /** The table that the selection is in. */
  table?: { at: number; anchor: Anchor };
}

const SIGNS = [
  ["slash", /(?:^|\s)(\/)([\p{L}\p{N} ]{0,30})$/u],
  ["mention", /(\[\[)([^[\]]{0,40})$/u],
  ["mention", /(?:^|\s)(@)([^[\]@]{0,40})$/u],
  ["emoji", /(?:^|\s)(:)([\p{L}]?[\p{L} ]{0,20})$/u],
] as const;

function anchorAt(view: EditorView, at: number): Anchor {
  const { left, top, bottom } = view.coordsAtPos(at);
  return { left, top, bottom };
}

/** Returns the range of the link around the cursor. */
function linkAround({ selection, schema }: EditorState): { from: number; to: number } | undefined {
  const { $from } = selection;
  const link = schema.marks["link"];
  const mark = link && ($from.marks().find(({ type }) => type === link) ?? $from.nodeAfter?.marks.find(({ type }) => type === link));
  if (!mark) return undefined;
  const isLinked = (index: number) => $from.parent.maybeChild(index)?.marks.some((one) => one.eq(mark)) === true;
  let first = isLinked($from.index()) ? $from.index() : $from.index() - 1;
  let last = first;
  while (isLinked(first - 1)) first -= 1;
  while (isLinked(last + 1)) last += 1;
  return { from: $from.posAtIndex(first), to: $from.posAtIndex(last + 1) };
}

/** Returns the position of the table around the selection. */
function tableAround({ selection: { $head } }: EditorState): number | undefined {
  let depth = $head.depth;
  while (depth > 0 && $head.node(depth).type.name !== "table") depth -= 1;
  return depth > 0 ? $head.before(depth) : undefined;
}

function besideOf(view: EditorView, dismissed: number | undefined): Beside {
  const { state } = view;
  const { $from, from, to, empty } = state.selection;
  const found: Beside = {};
  const table = tableAround(state);
  const dom = table === undefined ? null : view.nodeDOM(table);
  if (table !== undefined && dom instanceof HTMLElement) {
    const { left, top, bottom } = dom.getBoundingClientRect();
    found.table = { at: table, anchor: { left, top, bottom } };
  }
  if (!$from.parent.isTextblock || $from.parent.type.spec.code) return found;
  if (!empty) return { ...found, selection: { from, to, anchor: anchorAt(view, from) } };
  const before = $from.parent.textBetween(Math.max(0, $from.parentOffset - 60), $from.parentOffset, undefined, "\ufffc");
  for (const [name, pattern] of SIGNS) {
    const match = pattern.exec(before);
    if (!match) continue;
    const [, sign = "", query = ""] = match;
    const start = from - query.length - sign.length;
    if (start === dismissed) continue;
    found[name] = { query, from: start, anchor: anchorAt(view, start) };
    return found;
  }
  const link = linkAround(state);
  return link ? { ...found, link: { ...link, anchor: anchorAt(view, link.from) } } : found;
}

/** Returns whether the focus is in a menu of the editor. */
function isInMenu(): boolean {
  return document.activeElement?.closest(".editor-toolbar, .editor-beside, .popover, .modal") != null;
}

/** Tells what is to be shown beside the selection, and nothing while nothing is. */
export class BesidePlugin {
  private shown: Beside = {};
  private dismissed: number | undefined;
  readonly plugin: Plugin;

  constructor(private readonly onChange: (beside: Beside) => void) {
    this.plugin = new Plugin({
      view: (view) => {
        const follow = () => {
          if (Object.keys(this.shown).length > 0 && view.hasFocus()) this.show(besideOf(view, this.dismissed));
        };
        addEventListener("scroll", follow, { capture: true, passive: true });
        return {
          update: (_view, before) => {
            if (view.state.selection.eq(before.selection) && view.state.doc === before.doc) return;
            this.show(view.hasFocus() && view.editable ? besideOf(view, this.dismissed) : {});
          },
          destroy: () => removeEventListener("scroll", follow, { capture: true }),
        };
      },
      props: {
        handleDOMEvents: {
          focus: (view) => {
            if (view.editable) setTimeout(() => this.show(view.isDestroyed ? {} : besideOf(view, this.dismissed)));
            return false;
          },
          blur: () => {
            setTimeout(() => {
              if (!isInMenu()) this.show({});
            }, 50);
            return false;
          },
        },
      },
    });
  }

  /** Hides what is shown, and does not show it again for the same sign. */
  dismiss(): void {
    const { slash, mention, emoji } = this.shown;
    this.dismissed = (slash ?? mention ?? emoji)?.from;
    this.show({});
  }

  private show(beside: Beside): void {
    if (JSON.stringify(beside) === JSON.stringify(this.shown)) return;
    if (!beside.slash && !beside.mention && !beside.emoji && Object.keys(beside).length > 0) this.dismissed = undefined;
    this.shown = beside;
    this.onChange(beside);
  }
}
