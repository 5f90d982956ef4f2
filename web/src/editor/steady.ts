import type { Node } from "prosemirror-model";
import { Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

/** Number of blocks from which a page is laid out block by block. */
const MANY = 400;

/**
 * Fixes the size of the text that is written in while it needs no other one. In a page of very many
 * blocks the browser then lays out this text alone after a key, and not the page.
 */
export function steadyText(): Plugin {
  return new Plugin({ view: (view) => new Steady(view) });
}

class Steady {
  private dom: HTMLElement | undefined;
  private height = 0;
  private contentHeight = 0;

  constructor(private readonly view: EditorView) {}

  update(): void {
    const { doc, selection } = this.view.state;
    const { $from } = selection;
    const isText = doc.childCount >= MANY && $from.depth === 1 && selection.empty;
    const found = isText ? this.view.nodeDOM($from.before()) : null;
    const dom = found instanceof HTMLElement && this.view.hasFocus() ? found : undefined;
    if (dom !== this.dom) {
      this.release();
      if (dom) this.fix(dom);
    } else if (dom) {
      this.resize(dom, $from.parent);
    }
  }

  /** Gives the text the size that it needs after a key. */
  private resize(dom: HTMLElement, text: Node): void {
    const more = contentHeight(dom) - this.contentHeight;
    if (Math.abs(more) <= 2) return;
    let isPlain = true;
    text.forEach((node) => (isPlain &&= node.isText));
    if (isPlain) {
      // Lines of words have one height, so the browser lays out the page once for another line, and not twice.
      this.height += more;
      this.contentHeight += more;
      dom.style.blockSize = `${this.height}px`;
    } else {
      this.release();
      this.fix(dom);
    }
  }

  private fix(dom: HTMLElement): void {
    this.dom = dom;
    this.height = dom.getBoundingClientRect().height;
    this.contentHeight = contentHeight(dom);
    dom.style.blockSize = `${this.height}px`;
    dom.style.contain = "size layout";
  }

  private release(): void {
    this.dom?.style.removeProperty("block-size");
    this.dom?.style.removeProperty("contain");
    this.dom = undefined;
  }

  destroy(): void {
    this.release();
  }
}

function contentHeight(dom: HTMLElement): number {
  const range = document.createRange();
  range.selectNodeContents(dom);
  return range.getBoundingClientRect().height;
}
