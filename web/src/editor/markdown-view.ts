import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorState, Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Tags of the dialect and what they insert. */
const TAGS: Record<string, string> = {
  hint: '{% hint style="info" %}\n\n{% endhint %}',
  tabs: '{% tabs %}\n{% tab title="" %}\n\n{% endtab %}\n{% endtabs %}',
  stepper: "{% stepper %}\n{% step %}\n\n{% endstep %}\n{% endstepper %}",
  columns: "{% columns %}\n{% column %}\n\n{% endcolumn %}\n\n{% column %}\n\n{% endcolumn %}\n{% endcolumns %}",
  code: '{% code title="" %}\n```\n\n```\n{% endcode %}',
  embed: '{% embed url="" %}',
  file: '{% file src="" %}',
  if: "{% if visitor.claims. %}\n\n{% endif %}",
};

/** Changes that a program makes, which are not saved as those of a person. */
const remote = Annotation.define<boolean>();

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "var(--mono)", lineHeight: "1.65", caretColor: "var(--heading)", padding: "0 0 6rem", minHeight: "16rem" },
  ".cm-line": { padding: "0" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--heading)" },
  "& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--accent) 20%, transparent)",
  },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line)", borderRadius: "var(--radius)" },
  ".cm-tooltip-autocomplete ul li": { padding: ".25rem .5rem", fontFamily: "var(--sans)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--hover)", color: "var(--heading)" },
});

const colors = HighlightStyle.define([
  { tag: tags.heading, color: "var(--heading)", fontWeight: "650" },
  { tag: tags.strong, fontWeight: "650", color: "var(--heading)" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent)" },
  { tag: [tags.monospace, tags.quote], color: "var(--code-s)" },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta, tags.labelName], color: "var(--muted)" },
  { tag: [tags.tagName, tags.angleBracket, tags.attributeName], color: "var(--code-t)" },
]);

interface Options {
  text: string;
  label: string;
  isEditable: () => boolean;
  /** Descriptions of the tags of the dialect. */
  words: Record<string, string>;
  onChange: () => void;
  onBlur: () => void;
}

/** An editor of Markdown. */
export interface MarkdownView {
  text: () => string;
  /** Shows another text and keeps the cursor where it can. */
  replace: (text: string) => void;
  focus: () => void;
  destroy: () => void;
}

function completions(words: Record<string, string>) {
  return (context: CompletionContext) => {
    const before = context.matchBefore(/\{%[ ]?\w*$/);
    if (!before) return null;
    const options = Object.entries(TAGS).map(([name, apply]) => ({ label: `{% ${name} %}`, detail: words[name] ?? "", apply }));
    return { from: before.from, options, filter: true };
  };
}

/** Creates the editor of Markdown in a shadow tree, where it may bring its own styles. */
export function createMarkdownView(mount: HTMLElement, options: Options): MarkdownView {
  const root = mount.shadowRoot ?? mount.attachShadow({ mode: "open" });
  // A text with both kinds of line ends keeps them as characters.
  const separator = /\r\n/.test(options.text) && !/(^|[^\r])\n/.test(options.text) ? "\r\n" : "\n";
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        EditorState.lineSeparator.of(separator),
        history(),
        drawSelection(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        markdown({ base: markdownLanguage }),
        syntaxHighlighting(colors),
        autocompletion({ override: [completions(options.words)] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        theme,
        EditorState.transactionFilter.of((transaction) => (transaction.docChanged && !transaction.annotation(remote) && !options.isEditable() ? [] : transaction)),
        EditorView.contentAttributes.of({ "aria-label": options.label, "aria-multiline": "true", spellcheck: "true" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(remote))) options.onChange();
        }),
        EditorView.domEventHandlers({
          blur: () => {
            options.onBlur();
          },
        }),
      ],
    }),
  });
  return {
    text: () => view.state.sliceDoc(),
    replace(replaced) {
      const before = view.state.doc.toString();
      const text = separator === "\n" ? replaced : replaced.replaceAll(separator, "\n");
      let start = 0;
      while (start < before.length && start < text.length && before[start] === text[start]) start += 1;
      let end = 0;
      const most = Math.min(before.length, text.length) - start;
      while (end < most && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1;
      const insert = Text.of(text.slice(start, text.length - end).split("\n"));
      view.dispatch({ changes: { from: start, to: before.length - end, insert }, annotations: remote.of(true) });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
