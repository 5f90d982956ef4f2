import { undo } from "prosemirror-history";
import { Slice } from "prosemirror-model";
import { EditorState, TextSelection, type Transaction } from "prosemirror-state";
import { canSplit, ReplaceStep, type Step, Transform } from "prosemirror-transform";

import { blockKeys, freed } from "./block-keys";
import { depthOf } from "./depth";
import { change, Random } from "./random-edits";
import type { SaveState } from "./saver";
import { schema } from "./schema";
import { type Shown, Together, type Transport, type Work } from "./together";
import { undoing } from "./undo";
import { isRemote, unconfirmedSteps } from "./unconfirmed";

/**
 * The kinds of changes that people make: words that nobody else writes, any edits, or text at the speed
 * of a person.
 */
export type Kind = "words" | "edits" | "text";

const VOCABULARY = "the server keeps each page in a space and a reader sees what was published before while people write together about changes that need a review".split(" ");

/** Size of a text above which random edits make it no larger, as copies of its parts would double it again and again. */
const MAX_SIZE = 6_000;

/** Number of nodes within each other above which random edits make no deeper text. The server refuses more than 60. */
const MAX_DEPTH = 20;

/** Returns a step whose copies of blocks have keys of their own, as those that are pasted have. */
function asPasted(step: Step): Step {
  if (!(step instanceof ReplaceStep) || step.slice.size === 0) return step;
  const { from, to, slice, structure } = step as ReplaceStep & { structure: boolean };
  return new ReplaceStep(from, to, new Slice(freed(slice.content), slice.openStart, slice.openEnd), structure);
}

/** A window with the page. It goes on with its own text after another one was opened. */
class Window implements Shown {
  /** True if the window shows the text. */
  isShown: boolean;
  state: EditorState;
  /** The reason for which the last attempt to send something failed. */
  reason = "";
  readonly together: Together;

  constructor(transport: Transport, name: string, earlier: Work | undefined) {
    this.isShown = earlier !== undefined;
    const doc = earlier ? schema.nodeFromJSON(earlier.document) : schema.node("doc", null, schema.node("paragraph"));
    this.state = EditorState.create({ doc, plugins: [...undoing(), unconfirmedSteps(), blockKeys()] });
    const onState = (state: SaveState) => {
      this.reason = state.kind === "failed" ? state.reason : "";
    };
    const options = { onState, onNotice: () => {}, keep: () => {} };
    this.together = new Together({ view: this, transport, client: earlier?.client ?? name, earlier, ...options });
    this.together.start();
  }

  dispatch(transaction: Transaction): void {
    this.state = this.state.apply(transaction);
    this.isShown ||= isRemote(transaction);
    if (transaction.docChanged && !isRemote(transaction)) this.together.changed();
  }
}

/** A person who changes a page at random. */
export class SimulatedPerson {
  /** The words that the person wrote and did not undo. */
  written: string[] = [];
  private made = 0;
  private windows = 0;
  private window: Window;

  constructor(
    readonly name: string,
    private readonly random: Random,
    private readonly kind: Kind,
    private readonly transport: () => Transport,
  ) {
    this.window = this.open(undefined);
  }

  private open(earlier: Work | undefined): Window {
    this.windows += 1;
    return new Window(this.transport(), `${this.name}-${this.windows}`, earlier);
  }

  get state(): EditorState {
    return this.window.state;
  }

  get together(): Together {
    return this.window.together;
  }

  /** Returns the size of the text, and why it differs from that of the server. */
  get description(): string {
    const { state, together, reason } = this.window;
    return `${this.name}: ${state.doc.content.size}${together.isWaiting ? ", not confirmed" : ""}${reason && ` (${reason})`}`;
  }

  /** Closes the window, as a tab is closed, and opens another one with what the browser kept. */
  closeAndOpen(): void {
    const { together } = this;
    together.end();
    this.window = this.open(together.isWaiting ? together.work : undefined);
  }

  /** Makes one change, or takes back the last one. */
  write(): void {
    if (!this.window.isShown) return;
    if (this.kind === "text") return this.type();
    if (this.random.below(12) === 0) {
      undo(this.state, (transaction) => this.window.dispatch(transaction));
      const text = this.state.doc.textContent;
      this.written = this.written.filter((word) => text.includes(word));
      return;
    }
    const tried = new Transform(this.state.doc);
    if (this.kind === "words") this.writeWord(tried);
    else {
      try {
        change(tried, this.random);
        for (const one of [...tried.docs, tried.doc]) one.check();
        const { doc } = this.state;
        if (tried.doc.content.size > Math.max(MAX_SIZE, doc.content.size) || depthOf(tried.doc) > Math.max(MAX_DEPTH, depthOf(doc))) return;
      } catch {
        return;
      }
    }
    if (tried.steps.length === 0) return;
    const { tr } = this.state;
    for (const step of tried.steps) tr.step(asPasted(step));
    this.window.dispatch(tr);
  }

  private writeWord(tried: Transform): void {
    const { doc } = this.state;
    let at = this.random.below(doc.content.size + 1);
    const $at = doc.resolve(at);
    if (!$at.parent.isTextblock) return;
    // A word stays in one piece.
    const text = $at.parent.textContent;
    const space = text.indexOf(" ", $at.parentOffset);
    if ($at.parentOffset > 0 && text[$at.parentOffset - 1] !== " ") at = $at.start() + (space < 0 ? text.length : space + 1);
    if (this.random.below(6) === 0 && canSplit(doc, at)) {
      tried.split(at);
      return;
    }
    this.made += 1;
    const word = `${this.name}x${this.made}x${this.random.below(1e6)}e`;
    tried.insert(at, schema.text(`${word} `));
    this.written.push(word);
  }

  /** Types one key: mostly a letter, sometimes a new paragraph, a correction, or a key elsewhere in the page. */
  private type(): void {
    const { doc, tr } = this.state;
    if (this.made === 0 || this.random.below(600) === 0) {
      const near = TextSelection.near(doc.resolve(this.random.below(doc.content.size + 1)));
      tr.setSelection(TextSelection.create(doc, near.$head.end()));
    }
    const { $head } = tr.selection;
    if (!$head.parent.isTextblock) return;
    this.made += 1;
    const kind = this.random.below(400);
    if (kind === 0 && $head.depth === 1) tr.split($head.pos);
    else if (kind < 20 && $head.parentOffset > 0) tr.delete($head.pos - 1, $head.pos);
    else {
      const word = `${VOCABULARY[Math.floor(this.made / 7) % VOCABULARY.length]} `;
      tr.insertText(word[this.made % word.length] as string, $head.pos);
    }
    this.window.dispatch(tr);
  }
}
