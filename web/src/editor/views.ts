import { DOMSerializer, type Node } from "prosemirror-model";
import type { EditorView, NodeView, NodeViewConstructor } from "prosemirror-view";

import { AtomView } from "./view-atoms";
import { CellView } from "./view-cells";
import { CodeView } from "./view-code";
import { FramedView, GroupView } from "./view-frames";
import { InlineView } from "./view-inline";
import { element, type GetPosition, type Surroundings } from "./view-parts";

/** A table in a box that scrolls. */
class TableView implements NodeView {
  dom = element("div", "editor-table");
  contentDOM: HTMLElement;
  private readonly table = element("table");

  constructor(private node: Node) {
    this.contentDOM = element("tbody");
    this.table.append(this.contentDOM);
    this.dom.append(this.table);
    this.show();
  }

  private show(): void {
    this.table.dataset["view"] = String(this.node.attrs["view"]);
    this.table.dataset["header"] = String(this.node.attrs["hideHeader"] !== true);
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    this.show();
    return true;
  }

  ignoreMutation(mutation: { target: globalThis.Node }): boolean {
    return !this.contentDOM.contains(mutation.target);
  }
}

/** Returns the view of texts, whose sizes a plugin can set beside the document. */
const textView: NodeViewConstructor = (node) => {
  const { dom, contentDOM } = DOMSerializer.renderSpec(document, node.type.spec.toDOM?.(node) ?? ["p", 0]);
  return {
    dom: dom as HTMLElement,
    ...(contentDOM && { contentDOM }),
    ignoreMutation: (mutation) => mutation.type === "attributes" && mutation.target === dom,
  };
};

type ViewClass = new (node: Node, view: EditorView, position: GetPosition, surroundings: Surroundings) => NodeView;

/** Returns the views of nodes that are more than their elements. */
export function nodeViews(surroundings: Surroundings): Record<string, NodeViewConstructor> {
  const by = (View: ViewClass): NodeViewConstructor => (node, view, position) => new View(node, view, position, surroundings);
  const [framed, group] = [by(FramedView), by(GroupView)];
  return {
    atom: by(AtomView),
    inline_atom: by(InlineView),
    code: by(CodeView),
    cell_value: by(CellView),
    table: (node) => new TableView(node),
    paragraph: textView,
    heading: textView,
    hint: framed,
    tab: framed,
    step: framed,
    column: framed,
    condition: framed,
    task_item: framed,
    tabs: group,
    stepper: group,
    columns: group,
  };
}
