import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ExpressionCheck, type Mistake } from "./expression-check";

const MISTAKE: Mistake = { message: "expected a value", line: 1, column: 5 };

/** Returns a check with the questions that it asks, and the mistakes that it shows. */
function checking() {
  const asked: { text: string; answer: (mistake?: Mistake) => void; fail: () => void }[] = [];
  const shown: (Mistake | undefined)[] = [];
  const ask = (text: string) => new Promise<Mistake | undefined>((answer, reject) => asked.push({ text, answer, fail: () => reject(new Error("no answer")) }));
  return { asked, shown, check: new ExpressionCheck(ask, (mistake) => shown.push(mistake)) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pause = (time = 300) => vi.advanceTimersByTimeAsync(time);

describe("the check of an expression while it is written", () => {
  it("asks once after the last key", async () => {
    const { asked, shown, check } = checking();
    for (const text of ["a", "a =", "a =="]) {
      check.written(text);
      await pause(200);
    }
    expect(asked).toEqual([]);
    await pause();
    expect(asked.map(({ text }) => text)).toEqual(["a =="]);
    asked[0]?.answer(MISTAKE);
    await pause(0);
    expect(shown).toEqual([MISTAKE]);
  });

  it("ignores the answer about an earlier text", async () => {
    const { asked, shown, check } = checking();
    check.written("a ==");
    await pause();
    check.written("a == 1");
    asked[0]?.answer(MISTAKE);
    await pause();
    expect(shown).toEqual([]);
    asked[1]?.answer();
    await pause(0);
    expect(shown).toEqual([undefined]);
  });

  it("finds no mistake in an empty text, at once and without a question", async () => {
    const { asked, shown, check } = checking();
    check.written("a ==");
    check.written("  ");
    expect(shown).toEqual([undefined]);
    await pause();
    expect(asked).toEqual([]);
  });

  it("shows no mistake if there is no answer", async () => {
    const { asked, shown, check } = checking();
    check.written("a ==");
    await pause();
    asked[0]?.fail();
    await pause(0);
    expect(shown).toEqual([undefined]);
  });

  it("shows nothing after its end", async () => {
    const { asked, shown, check } = checking();
    check.written("a ==");
    await pause();
    check.stop();
    asked[0]?.answer(MISTAKE);
    await pause(0);
    expect(shown).toEqual([]);
  });
});
