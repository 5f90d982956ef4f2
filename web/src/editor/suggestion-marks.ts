import type { Node } from "prosemirror-model";
import { Plugin, PluginKey, TextSelection } from "prosemirror-state";
import { Decoration, DecorationSet, type EditorView } from "prosemirror-view";

import { colourOf } from "../people/colour";
import { scrollToPosition } from "./carets";
import { type Decision, type Mark, mapped, type Shown, shownText } from "./suggestion-list";
import { settle } from "./unconfirmed";

interface Marks {
  marks: readonly Mark[];
  current: string | undefined;
  shown: DecorationSet;
}

const KEY = new PluginKey<Marks>("suggestions");
/** True if Alt and Backspace delete a word, as on the systems of Apple. */
const DELETES_WORDS = /Mac|iP/.test(navigator.platform);

interface Options {
  /** True if the text is the person's own copy, which has what is new, and not what is gone. */
  isOwn: boolean;
  /** Makes a suggestion current; `isAsked` if the person pressed on it alone, and not on text. */
  onChoose: (id: string, isAsked: boolean) => void;
  onDecide: (decision: Decision, id: string) => void;
}

/** Returns an element with text that the document does not have. */
function widget(tag: "ins" | "del", text: string, attributes: Record<string, string>, isInList: boolean, onPress: () => void): HTMLElement {
  const dom = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) dom.setAttribute(name, value);
  dom.textContent = shownText(text);
  dom.addEventListener("mousedown", (event) => {
    event.preventDefault();
    onPress();
  });
  if (!isInList) return dom;
  const item = document.createElement("li");
  item.append(dom);
  return item;
}

function decorations(doc: Node, mark: Mark, current: string | undefined, { isOwn, onChoose }: Options): Decoration[] {
  const { from, to, suggestion } = mark;
  const { id, kind, author } = suggestion;
  const isFormat = kind === "format";
  const attributes = (name: string) => ({
    class: `suggestion suggestion-${name}`,
    "data-suggestion": id,
    "data-colour": String(colourOf(author?.id ?? "")),
    ...(id === current && { "data-current": "" }),
  });
  const inText = isFormat ? "format" : isOwn ? "added" : "removed";
  const found: Decoration[] = [];
  if (from < to) {
    const role = { added: "insertion", removed: "deletion", format: undefined }[inText];
    found.push(Decoration.inline(from, to, { ...attributes(inText), ...(role && { role }) }));
    doc.nodesBetween(from, to, (node, at) => {
      const isWhole = at >= from && at + node.nodeSize <= to;
      if (node.isBlock && node.isLeaf && isWhole) found.push(Decoration.node(at, at + node.nodeSize, attributes(inText)));
    });
  }
  const [tag, other, name, at] = isOwn ? (["del", suggestion.before, "removed", from] as const) : (["ins", suggestion.after, "added", to] as const);
  // A block without text, such as a picture, is no text that is inserted or deleted.
  const beside = !isFormat ? other : from === to ? "▣" : "";
  if (beside !== "") {
    const { parent } = doc.resolve(at);
    const isBlock = !parent.inlineContent;
    const isInList = parent.type.name.endsWith("_list");
    const make = () => widget(tag, beside, { ...attributes(name), ...(isBlock && { "data-block": "" }) }, isInList, () => onChoose(id, true));
    const key = `${id}.${id === current}.${isBlock}.${beside}`;
    found.push(Decoration.widget(at, make, { key, side: isOwn ? -1 : 1, ignoreSelection: true, stopEvent: () => true }));
  }
  return found;
}

/** Shows suggestions in the text, and takes the keys that accept and refuse the one at the caret. */
export function suggestionMarks(options: Options): Plugin {
  const withShown = (doc: Node, marks: readonly Mark[], current: string | undefined): Marks => ({
    marks,
    current,
    shown: DecorationSet.create(doc, marks.flatMap((mark) => decorations(doc, mark, current, options))),
  });
  return new Plugin<Marks>({
    key: KEY,
    state: {
      init: () => ({ marks: [], current: undefined, shown: DecorationSet.empty }),
      apply(transaction, known) {
        const next = transaction.getMeta(KEY) as Pick<Marks, "marks" | "current"> | undefined;
        if (next) return withShown(transaction.doc, next.marks, next.current);
        if (!transaction.docChanged || known.marks.length === 0) return known;
        const map = (at: number, side: number) => transaction.mapping.map(at, side);
        const marks = known.marks.map((mark) => ({ ...mark, ...mapped(mark, map, options.isOwn) }));
        return withShown(transaction.doc, marks, known.current);
      },
    },
    props: {
      decorations: (state) => KEY.getState(state)?.shown,
      handleClick(_view, _at, { target }) {
        const mark = target instanceof Element ? target.closest<HTMLElement>("[data-suggestion]") : null;
        if (mark?.dataset["suggestion"] !== undefined) options.onChoose(mark.dataset["suggestion"], false);
        return false;
      },
      handleKeyDown(view, { key, altKey, ctrlKey, metaKey, shiftKey }) {
        if (!altKey || ctrlKey || metaKey || shiftKey || (key !== "Enter" && key !== "Backspace")) return false;
        const { from, to } = view.state.selection;
        const known = KEY.getState(view.state);
        const id = known?.marks.find((mark) => mark.from <= from && to <= mark.to)?.suggestion.id;
        const isMeant = id !== undefined && (key === "Enter" ? !options.isOwn : !DELETES_WORDS || id === known?.current);
        if (isMeant) options.onDecide(key === "Enter" ? "accept" : "refuse", id);
        return isMeant;
      },
    },
  });
}

function show(view: EditorView, marks: readonly Mark[], current: string | undefined): void {
  if (view.isDestroyed || !KEY.getState(view.state)) return;
  settle(view);
  view.dispatch(view.state.tr.setMeta(KEY, { marks, current }).setMeta("addToHistory", false));
}

/** Places suggestions in the text. */
export function placeMarks(view: EditorView, marks: readonly Mark[]): void {
  const last = view.state.doc.content.size;
  const within = marks.map((mark) => ({ ...mark, from: Math.min(mark.from, last), to: Math.min(mark.to, last) }));
  show(view, within, KEY.getState(view.state)?.current);
}

/** Shows those marks whose suggestions are left, and which of them is current. */
export function showMarks(view: EditorView, { items, current }: Shown): void {
  const known = KEY.getState(view.state)?.marks ?? [];
  const marks = known.filter(({ suggestion }) => items.some(({ id }) => id === suggestion.id));
  show(view, marks, current?.id);
}

/** Scrolls to a suggestion if it is out of sight. Puts the caret there if the text has the focus. */
export function goToMark(view: EditorView, id: string): void {
  const mark = KEY.getState(view.state)?.marks.find(({ suggestion }) => suggestion.id === id);
  if (!mark) return;
  const { doc, selection, tr } = view.state;
  const isThere = mark.from <= selection.from && selection.to <= mark.to;
  if (view.hasFocus() && !isThere) view.dispatch(tr.setSelection(TextSelection.near(doc.resolve(mark.from))));
  scrollToPosition(view, mark.from);
}
