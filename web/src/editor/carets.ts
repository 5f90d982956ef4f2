import { Plugin, PluginKey } from "prosemirror-state";
import { Decoration, DecorationSet, type EditorView } from "prosemirror-view";

import { colourOf } from "../people/colour";
import { isRemote, settle } from "./unconfirmed";

export { People } from "./people";

/** A window of another person with what is selected in it, in positions of the text that is shown. */
export interface Person {
  client: string;
  user: string;
  name: string;
  anchor?: number | undefined;
  head?: number | undefined;
  /** True if the caret stays where it is, and moves with the text. */
  isPlaced?: boolean;
}

type People = readonly Person[];

const KEY = new PluginKey<People>("carets");
/** Distance in pixels from the mouse at which a caret tells its name. */
const NEAR = 6;

/** Moves the name of a caret to where the text around it does not cut it off. */
function keepInSight(dom: HTMLElement, label: HTMLElement): void {
  const box = dom.closest("pre, .editor-table");
  const around = (box ?? dom.closest(".space-page"))?.getBoundingClientRect();
  if (!around) return;
  const { top, left, right } = label.getBoundingClientRect();
  if (box && top < around.top) dom.dataset["below"] = "";
  if (right > around.right || left < around.left) dom.dataset["flipped"] = "";
}

/** Shows the names of the carets at the mouse. */
function showNear(text: HTMLElement, x: number, y: number): void {
  for (const dom of text.querySelectorAll<HTMLElement>(".caret")) {
    const { top, bottom, left } = dom.getBoundingClientRect();
    dom.toggleAttribute("data-near", Math.abs(x - left) < NEAR && y > top - NEAR && y < bottom + NEAR);
  }
}

function caret({ name, user }: Person): HTMLElement {
  const dom = document.createElement("span");
  dom.className = "caret";
  dom.dataset["colour"] = String(colourOf(user));
  const label = dom.appendChild(document.createElement("span"));
  label.className = "caret-name";
  label.textContent = name;
  requestAnimationFrame(() => keepInSight(dom, label));
  return dom;
}

function decorations(person: Person): Decoration[] {
  const { anchor, head, user, client } = person;
  if (anchor === undefined || head === undefined) return [];
  const [from, to] = [Math.min(anchor, head), Math.max(anchor, head)];
  // Another place is another caret, which shows the name again.
  const at = Decoration.widget(head, () => caret(person), { key: `${client}.${head}`, side: 1, ignoreSelection: true });
  return from === to ? [at] : [at, Decoration.inline(from, to, { class: "caret-selection", "data-colour": String(colourOf(user)) })];
}

interface Options {
  /** Tells what is selected in this window, when it changes. */
  onSelect: (anchor: number, head: number) => void;
}

/** Shows the carets of others, and tells of one's own. */
export function carets({ onSelect }: Options): Plugin {
  return new Plugin<People>({
    key: KEY,
    state: {
      init: () => [],
      apply(transaction, people) {
        const next = transaction.getMeta(KEY) as People | undefined;
        if (next) return next;
        if (!transaction.docChanged || people.length === 0) return people;
        const { mapping } = transaction;
        // A text that this person inserts at the caret of another one comes behind that caret.
        const side = isRemote(transaction) ? 1 : -1;
        return people.map((person) => ({
          ...person,
          anchor: person.anchor === undefined ? undefined : mapping.map(person.anchor, side),
          head: person.head === undefined ? undefined : mapping.map(person.head, side),
        }));
      },
    },
    props: {
      handleDOMEvents: {
        mousemove(view, { clientX, clientY }) {
          if (peopleIn(view).length > 0) showNear(view.dom, clientX, clientY);
        },
      },
      decorations(state) {
        const people = KEY.getState(state) ?? [];
        return people.length === 0 ? null : DecorationSet.create(state.doc, people.flatMap(decorations));
      },
    },
    view({ state: { selection } }) {
      onSelect(selection.anchor, selection.head);
      return {
        update({ state }, before) {
          const { anchor, head } = state.selection;
          if (state.doc !== before.doc || !state.selection.eq(before.selection)) onSelect(anchor, head);
        },
      };
    },
  });
}

/** Shows where others are by now. */
export function showPeople(view: EditorView, people: People): void {
  if (view.isDestroyed) return;
  settle(view);
  const last = view.state.doc.content.size;
  const within = (at: number | undefined) => (at === undefined ? undefined : Math.min(at, last));
  const known = new Map(peopleIn(view).map((person) => [person.client, person]));
  const shown = people.map((person) => {
    const { anchor, head } = person.isPlaced ? (known.get(person.client) ?? {}) : person;
    return { ...person, anchor: within(anchor), head: within(head) };
  });
  view.dispatch(view.state.tr.setMeta(KEY, shown).setMeta("addToHistory", false));
}

/** Returns where others are. */
export function peopleIn(view: EditorView): People {
  return KEY.getState(view.state) ?? [];
}

/** Scrolls to a position of a text if it is out of sight. */
export function scrollToPosition(view: EditorView, at: number): void {
  const { top, bottom } = view.coordsAtPos(at);
  if (top > 120 && bottom < innerHeight - 160) return;
  const { node } = view.domAtPos(at);
  const element = node instanceof Element ? node : node.parentElement;
  element?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

/** Scrolls to the caret of a person if it is out of sight. */
export function scrollToCaret(view: EditorView, client: string): void {
  const head = peopleIn(view).find((person) => person.client === client)?.head;
  if (head !== undefined) scrollToPosition(view, head);
}
