import { EditorState, type Transaction } from "prosemirror-state";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { ApiError } from "../api/errors";
import { schema } from "./schema";
import { type Joined, Together, type Transport, type Work } from "./together";
import { undoing } from "./undo";
import { isRemote, unconfirmedSteps } from "./unconfirmed";

const paragraph = (text: string) => schema.node("doc", null, schema.node("paragraph", null, schema.text(text)));
const textOf = ({ document }: { document: object }) => schema.nodeFromJSON(document).textContent;
const unanswered = () => Promise.reject(new ApiError(0, "cut", "cut"));

/** A window whose attempts to join are recorded, and answered by `answer`. */
function open(text: string, earlier?: Work) {
  const attempts: Work[] = [];
  let answer: (work: Work | undefined) => Promise<Joined> = unanswered;
  const transport: Transport = {
    join: (work) => {
      if (work) attempts.push(work);
      return answer(work);
    },
    send: unanswered,
    list: unanswered,
    follow: () => new Promise(() => {}),
    select: () => Promise.resolve(),
  };
  const view = {
    state: EditorState.create({ doc: paragraph(text), plugins: [...undoing(), unconfirmedSteps()] }),
    dispatch(transaction: Transaction) {
      view.state = view.state.apply(transaction);
      if (transaction.docChanged && !isRemote(transaction)) together.changed();
    },
  };
  const options = { onState: () => {}, onNotice: () => {}, keep: () => {} };
  const together = new Together({ view, transport, client: "own", earlier, ...options });
  together.start();
  const type = async (word: string) => {
    view.dispatch(view.state.tr.insertText(word, view.state.doc.content.size - 1));
    await vi.advanceTimersByTimeAsync(20_000);
  };
  const answerWith = (next: typeof answer) => (answer = next);
  return { attempts, together, type, view, answerWith };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells the server all attempts that it may have accepted, however many there were", async () => {
  const window = open("Text.");
  for (const word of [" a", " b", " c", " d", " e", " f", " g"]) await window.type(word);
  // Each number stands for one text.
  const texts = new Map(window.attempts.map((work) => [work.number, textOf(work)]));
  for (const work of window.attempts) expect(textOf(work)).toBe(texts.get(work.number));
  expect(window.attempts[0]?.number).toBe(1);
  const { sent = [] } = window.attempts.at(-1) as Work;
  expect(sent.map(({ number }) => number)).toContain(1);
  expect(sent.length).toBeLessThanOrEqual(4);
  // The draft has all that was typed.
  expect(textOf(window.together.work)).toBe("Text. a b c d e f g");
  // The window sends the text that was typed after the last attempt when that one is answered.
  window.answerWith((work) => Promise.resolve({ id: "s", version: 1, document: work?.document ?? {} }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(textOf(window.attempts.at(-1) as Work)).toBe("Text. a b c d e f g");
  expect(window.view.state.doc.textContent).toBe("Text. a b c d e f g");
});

it("sends another text with another number after the window was closed", async () => {
  const window = open("Text.");
  await window.type(" a");
  window.together.end();
  const earlier = window.together.work;
  const next = open("Text. a", earlier);
  await next.type(" b");
  const numbers = new Map<number, string>();
  for (const work of [...window.attempts, ...next.attempts]) {
    expect(numbers.get(work.number) ?? textOf(work)).toBe(textOf(work));
    numbers.set(work.number, textOf(work));
  }
  expect(textOf(next.attempts.at(-1) as Work)).toBe("Text. a b");
});
