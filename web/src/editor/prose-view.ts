import "prosemirror-view/style/prosemirror.css";
import "prosemirror-tables/style/tables.css";
import "prosemirror-gapcursor/style/gapcursor.css";

import { gapCursor } from "prosemirror-gapcursor";
import type { Node } from "prosemirror-model";
import { EditorState, Plugin } from "prosemirror-state";
import { Decoration, DecorationSet, EditorView } from "prosemirror-view";

import type { Beside } from "./beside";
import { BesidePlugin } from "./beside";
import { blockKeys } from "./block-keys";
import { keys, writeBelow } from "./keys";
import { laterCarets, laterPlugins, laterTables } from "./later";
import { pasting } from "./paste";
import type { Pictures } from "./pictures";
import { rules } from "./rules";
import { undoing } from "./undo";
import { isRemote, settle, unconfirmedSteps } from "./unconfirmed";
import type { Ref, Surroundings } from "./view-parts";
import { nodeViews } from "./views";

interface Options extends Surroundings, Pictures {
  doc: Node;
  label: string;
  onChange: () => void;
  onBeside: (beside: Beside) => void;
  /** Returns `true` if a menu beside the text takes a key. */
  onKey: (event: KeyboardEvent) => boolean;
  /** Tells of a change that would put too many blocks within each other. */
  onTooDeep: () => void;
  onBlur: () => void;
  /** Tells what is selected. */
  onSelect: (anchor: number, head: number) => void;
  onBlockMenu: (at: number, beside: HTMLElement) => void;
  /** Opens the target of a link. */
  onOpen: (ref: Ref, isNewWindow: boolean) => void;
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

/**
 * Makes React take a text for an element without a selection. Before each of its changes, React would
 * go through all nodes of a focused text to keep the selection, which is none of its business here.
 */
function hideFromReact(dom: HTMLElement): void {
  Object.defineProperty(dom, "contentEditable", {
    get: () => "inherit",
    set: (value: string) => dom.setAttribute("contenteditable", value),
  });
}

/** The editable region of a page. */
export interface Region {
  view: EditorView;
  /** Hides the menu beside the selection. */
  dismiss: () => void;
  /** Adds the plugins that were loaded since then. */
  addLoaded: () => void;
  /** Adds a plugin. Returns a function that removes it. */
  add: (plugin: Plugin) => () => void;
}

/** Creates the editable region of a page. */
export function createView(mount: HTMLElement, options: Options): Region {
  const beside = new BesidePlugin(options.onBeside);
  const before = [...keys(), rules(), ...undoing(), blockKeys(), unconfirmedSteps()];
  const after = [gapCursor(), pasting(options), beside.plugin, ...(options.isEditable ? [placeholder(options.texts.placeholder)] : [])];
  let tables: { keys: Plugin; cells: Plugin } | undefined;
  let later: Plugin[] = [];
  let others: Plugin[] = [];
  const added = new Set<Plugin>();
  /** Returns all plugins that are loaded by now. */
  const loaded = (): Plugin[] => {
    tables ??= laterTables.now?.tablePlugins();
    if (options.isEditable && later.length === 0) later = laterPlugins.now?.laterPlugins({ texts: options.texts, onMenu: options.onBlockMenu, onTooDeep: options.onTooDeep }) ?? [];
    if (options.isEditable && laterCarets.now && others.length === 0) others = [laterCarets.now.carets(options)];
    return [...(tables ? [tables.keys] : []), ...before, ...(tables ? [tables.cells] : []), ...after, ...later, ...others, ...added];
  };
  const view: EditorView = new EditorView(
    { mount },
    {
      state: EditorState.create({ doc: options.doc, plugins: loaded() }),
      nodeViews: nodeViews(options),
      editable: () => options.isEditable,
      attributes: {
        role: "textbox",
        "aria-multiline": "true",
        "aria-label": options.label,
        "aria-readonly": String(!options.isEditable),
        class: "editor-text",
        spellcheck: "true",
      },
      dispatchTransaction(transaction) {
        view.updateState(view.state.apply(transaction));
        if (transaction.docChanged && !isRemote(transaction)) options.onChange();
      },
      handleKeyDown: (_view, event) => {
        if ((event.metaKey || event.ctrlKey) && (event.key === "k" || event.key === "K") && !event.shiftKey) {
          // The shell would open the search otherwise; a selection becomes a link instead.
          if (view.state.selection.empty) return false;
          event.stopPropagation();
        }
        return options.onKey(event);
      },
      handleClick(_view, _at, event) {
        const below = view.dom.lastElementChild?.getBoundingClientRect().bottom ?? Infinity;
        return options.isEditable && event.clientY > below && writeBelow(view.state, view.dispatch);
      },
      handleClickOn(_view, _at, node, _nodeAt, event) {
        if (node.type.name !== "inline_atom") return false;
        const { type, data } = node.attrs["json"] as { type?: string; data?: { ref?: Ref } };
        const isLink = (type === "mention" || type === "button") && data?.ref !== undefined;
        if (!isLink || (options.isEditable && !event.ctrlKey && !event.metaKey)) return false;
        options.onOpen(data.ref as Ref, event.ctrlKey || event.metaKey);
        return true;
      },
      handleDOMEvents: {
        click: (_view, event) => {
          const link = event.target instanceof Element ? event.target.closest("a") : null;
          if (!link || !view.dom.contains(link)) return false;
          const isWanted = !options.isEditable || event.ctrlKey || event.metaKey;
          event.preventDefault();
          if (!isWanted) return false;
          const at = view.posAtDOM(link, 0);
          const mark = view.state.doc.resolve(at).nodeAfter?.marks.find(({ type }) => type.name === "link");
          options.onOpen((mark?.attrs["ref"] as Ref | undefined) ?? { url: link.href }, event.ctrlKey || event.metaKey);
          return true;
        },
        keydown: (_view, event) => {
          // A key may come before the browser tells of a selection, too.
          if (!event.isComposing) settle(view);
          return false;
        },
        blur: () => {
          options.onBlur();
          return false;
        },
      },
    },
  );
  const configure = () => {
    if (!view.isDestroyed) view.updateState(view.state.reconfigure({ plugins: loaded() }));
  };
  hideFromReact(view.dom);
  return {
    view,
    dismiss: () => beside.dismiss(),
    addLoaded() {
      if (loaded().length > view.state.plugins.length) configure();
    },
    add(plugin) {
      added.add(plugin);
      configure();
      return () => {
        added.delete(plugin);
        configure();
      };
    },
  };
}
