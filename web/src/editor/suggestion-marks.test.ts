import { EditorState, TextSelection } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { expect, it } from "vitest";

import { schema } from "./schema";
import type { Suggestion } from "./suggestion-list";
import { placeMarks, showMarks, suggestionMarks } from "./suggestion-marks";
import { unconfirmedSteps } from "./unconfirmed";

const replaced: Suggestion = {
  id: "a",
  author: { id: "ann", displayName: "Ann" },
  kind: "replace",
  before: "old",
  after: "new",
  from: 5,
  to: 8,
  version: 1,
  suggested: { session: "own", from: 5, to: 8, version: 1 },
};

function begin(isOwn: boolean) {
  const decided: string[] = [];
  const chosen: string[] = [];
  const marks = suggestionMarks({ isOwn, onChoose: (id) => chosen.push(id), onDecide: (decision, id) => decided.push(`${decision} ${id}`) });
  const doc = schema.node("doc", null, schema.node("paragraph", null, schema.text(isOwn ? "The new word" : "The old word")));
  const view = new EditorView(document.createElement("div"), { state: EditorState.create({ doc, plugins: [unconfirmedSteps(), marks] }) });
  placeMarks(view, [{ suggestion: replaced, from: 5, to: 8 }]);
  const shown = () => [...view.dom.querySelectorAll(".suggestion")].map((dom) => `${dom.nodeName} ${dom.classList[1]} ${dom.textContent}`);
  const press = (key: string) => view.someProp("handleKeyDown", (take) => take(view, new KeyboardEvent("keydown", { key, altKey: true }))) ?? false;
  return { view, shown, press, decided, chosen };
}

it("shows what is removed and what is added in the text of the page", () => {
  const { view, shown } = begin(false);
  expect(shown()).toEqual(["SPAN suggestion-removed old", "INS suggestion-added new"]);
  view.dispatch(view.state.tr.insertText("Above ", 1));
  expect(shown()).toEqual(["SPAN suggestion-removed old", "INS suggestion-added new"]);
  showMarks(view, { items: [], current: undefined });
  expect(shown()).toEqual([]);
});

it("shows what is gone in the text of the copy, and what is written goes with what is new", () => {
  const { view, shown } = begin(true);
  expect(shown()).toEqual(["DEL suggestion-removed old", "SPAN suggestion-added new"]);
  view.dispatch(view.state.tr.insertText("er", 8));
  expect(shown()).toEqual(["DEL suggestion-removed old", "SPAN suggestion-added newer"]);
});

it("takes keys for the suggestion at the caret only", () => {
  const { view, press, decided } = begin(false);
  expect([press("Enter"), press("Backspace")]).toEqual([false, false]);
  view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, 6)));
  expect([press("Enter"), press("Backspace"), press("x")]).toEqual([true, true, false]);
  expect(decided).toEqual(["accept a", "refuse a"]);
});

it("makes a suggestion current by a press on its text", () => {
  const { view, chosen } = begin(false);
  view.dom.querySelector("ins")?.dispatchEvent(new MouseEvent("mousedown", { cancelable: true }));
  expect(chosen).toEqual(["a"]);
  showMarks(view, { items: [replaced], current: replaced });
  expect(view.dom.querySelectorAll("[data-current]")).toHaveLength(2);
});
