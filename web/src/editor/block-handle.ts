import { NodeSelection, Plugin, TextSelection } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

import type { Messages } from "../i18n";
import { blockRange } from "./ranges";
import { button, element } from "./view-parts";

export interface HandleOptions {
  texts: Messages["editor"];
  /** Shows the menu of the block at a position, beside an element. */
  onMenu: (at: number, beside: HTMLElement) => void;
}

const DOTS = "M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01";
const PLUS = "M12 5v14M5 12h14";

function icon(path: string, width: string): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("class", "icon");
  made.setAttribute("aria-hidden", "true");
  made.setAttribute("stroke-width", width);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}

/** Shows the handle of the block below the pointer: it adds a block, drags the block, and opens its menu. */
export function blockHandle({ texts, onMenu }: HandleOptions): Plugin {
  return new Plugin({ view: (view) => new Handle(view, texts, onMenu) });
}

class Handle {
  private readonly dom = element("div", "editor-handle");
  private at: number | undefined;
  private frame = 0;
  private pointer: readonly [number, number] = [0, 0];

  constructor(
    private readonly view: EditorView,
    texts: Messages["editor"],
    onMenu: HandleOptions["onMenu"],
  ) {
    const add = button("", "editor-handle-button", () => this.add());
    add.setAttribute("aria-label", texts.addBelow);
    add.append(icon(PLUS, "1.7"));
    // Unlike other buttons, this one leaves the press to the browser, which begins a drag with it.
    const grip = element("button", "editor-handle-button editor-grip");
    grip.type = "button";
    grip.addEventListener("click", () => {
      if (this.at !== undefined) onMenu(this.at, grip);
    });
    grip.setAttribute("aria-label", texts.blockMenu);
    grip.title = texts.blockMenuHint;
    grip.append(icon(DOTS, "3"));
    grip.draggable = true;
    grip.addEventListener("mousedown", (event) => event.stopPropagation());
    grip.addEventListener("dragstart", (event) => this.drag(event));
    grip.addEventListener("dragend", () => {
      view.dragging = null;
    });
    for (const one of [add, grip]) one.tabIndex = -1;
    this.dom.append(add, grip);
    const box = view.dom.parentElement;
    box?.append(this.dom);
    box?.addEventListener("mousemove", this.move);
    box?.addEventListener("mouseleave", this.hide);
  }

  private readonly hide = (event: MouseEvent): void => {
    if (event.relatedTarget instanceof Node && this.dom.contains(event.relatedTarget)) return;
    this.hideNow();
  };

  /** Hides the handle without a layout of the page. */
  private hideNow(): void {
    this.dom.style.visibility = "hidden";
  }

  private readonly move = (event: MouseEvent): void => {
    if (!this.view.editable || this.dom.contains(event.target as Node)) return;
    const { clientX, clientY } = event;
    // The browser repeats the event after a layout; only a pointer that moves shows the handle.
    if (clientX === this.pointer[0] && clientY === this.pointer[1]) return;
    this.pointer = [clientX, clientY];
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.follow(clientX, clientY));
  };

  /** Moves the handle to the block at a point, or to the one right of it. */
  private follow(x: number, y: number): void {
    const { view } = this;
    if (view.isDestroyed) return;
    const box = view.dom.getBoundingClientRect();
    const style = getComputedStyle(view.dom);
    const inner = box.left + parseFloat(style.paddingLeft);
    const found = view.posAtCoords({ left: Math.min(Math.max(x, inner + 4), box.right - parseFloat(style.paddingRight) - 4), top: y });
    if (!found) return;
    const range = blockRange(view.state.doc, found.inside >= 0 && view.state.doc.nodeAt(found.inside)?.isAtom ? found.inside : found.pos);
    if (!range) return;
    const dom = view.nodeDOM(range.start);
    if (!(dom instanceof HTMLElement)) return;
    const rect = dom.getBoundingClientRect();
    if (y < rect.top - 8 || y > rect.bottom + 8) return;
    this.at = range.start;
    const outer = this.dom.parentElement?.getBoundingClientRect() ?? box;
    const first = dom.matches("p, h2, h3, h4, li, ul, ol") ? parseFloat(getComputedStyle(dom).lineHeight) || 26 : 26;
    const isRight = style.direction === "rtl";
    const gap = 52 + (dom.matches("li") ? 22 : 0);
    const left = isRight ? rect.right - outer.left + gap - 46 : rect.left - outer.left - gap;
    this.dom.style.transform = `translate(${left}px, ${rect.top - outer.top + Math.max(0, (first - 24) / 2)}px)`;
    this.dom.style.visibility = "visible";
  }

  private add(): void {
    const { view, at } = this;
    if (at === undefined) return;
    const { state } = view;
    const range = blockRange(state.doc, at);
    const isItem = range?.parent.type.name.endsWith("_list") === true;
    const node = state.doc.nodeAt(at);
    if (!node) return;
    const paragraph = state.schema.nodes["paragraph"]?.create();
    const made = isItem ? node.type.create(null, paragraph) : paragraph;
    if (!made) return;
    const after = at + node.nodeSize;
    const transaction = state.tr.insert(after, made);
    const inside = after + (isItem ? 2 : 1);
    transaction.setSelection(TextSelection.create(transaction.doc, inside)).insertText("/", inside);
    view.dispatch(transaction.scrollIntoView());
    view.focus();
  }

  private drag(event: DragEvent): void {
    const { view, at } = this;
    if (at === undefined || !event.dataTransfer) return;
    const selection = NodeSelection.create(view.state.doc, at);
    view.dispatch(view.state.tr.setSelection(selection));
    const slice = selection.content();
    const { dom, text } = view.serializeForClipboard(slice);
    event.dataTransfer.clearData();
    event.dataTransfer.setData("text/html", dom.innerHTML);
    event.dataTransfer.setData("text/plain", text);
    event.dataTransfer.effectAllowed = "copyMove";
    const shown = view.nodeDOM(at);
    if (shown instanceof HTMLElement) event.dataTransfer.setDragImage(shown, 0, 0);
    view.dragging = { slice, move: true };
  }

  update(view: EditorView, before: { doc: unknown }): void {
    if (view.state.doc !== before.doc) this.hideNow();
  }

  destroy(): void {
    cancelAnimationFrame(this.frame);
    const box = this.dom.parentElement;
    box?.removeEventListener("mousemove", this.move);
    box?.removeEventListener("mouseleave", this.hide);
    this.dom.remove();
  }
}
