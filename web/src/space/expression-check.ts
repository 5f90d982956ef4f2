import { useEffect, useRef, useState } from "react";

import { client, data, type Schemas } from "../api/client";

/** Time in milliseconds from the last key until an expression is checked. */
const DELAY = 300;

/** The mistake in an expression, with its position. */
export type Mistake = NonNullable<Schemas["ExpressionCheck"]["error"]>;

/** Asks the server for the mistake in an expression of a space; `undefined` if there is none. */
export async function mistakeIn(spaceId: string, expression: string): Promise<Mistake | undefined> {
  const answer = client.POST("/bindery/spaces/{spaceId}/expressions/check", { params: { path: { spaceId } }, body: { expression } });
  return (await data(answer)).error;
}

/**
 * Checks an expression while it is written: after a pause, and only the text that was written last.
 * Without an answer, there is no mistake to show.
 */
export class ExpressionCheck {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private latest = 0;

  constructor(
    private readonly ask: (expression: string) => Promise<Mistake | undefined>,
    private readonly show: (mistake: Mistake | undefined) => void,
  ) {}

  /** Checks a text soon, instead of the one before. */
  written(expression: string): void {
    this.stop();
    const own = this.latest;
    const show = (mistake?: Mistake) => {
      if (own === this.latest) this.show(mistake);
    };
    if (expression.trim() === "") show();
    else this.timer = setTimeout(() => void this.ask(expression).then(show, () => show()), DELAY);
  }

  /** Ends the check. An answer that is still on its way is not shown. */
  stop(): void {
    clearTimeout(this.timer);
    this.latest += 1;
  }
}

/** Returns the mistake in an expression that is being written. */
export function useMistake(spaceId: string, expression: string): Mistake | undefined {
  const [mistake, setMistake] = useState<Mistake>();
  const check = useRef<ExpressionCheck>(null);
  useEffect(() => {
    const made = new ExpressionCheck((text) => mistakeIn(spaceId, text), setMistake);
    check.current = made;
    return () => made.stop();
  }, [spaceId]);
  useEffect(() => check.current?.written(expression), [expression]);
  return mistake;
}
