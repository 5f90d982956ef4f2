import { ExpressionCheck, type Mistake } from "../space/expression-check";
import { element, type Surroundings } from "./view-parts";

/** The place below a field for the mistake in its expression. */
export interface MistakeLine {
  dom: HTMLElement;
  /** Checks the expression again if a mistake is shown, after it was changed elsewhere. */
  changed: () => void;
  stop: () => void;
}

let count = 0;

/** Checks the expression of a field while it is written, and shows the mistake in it. */
export function mistakeLine(input: HTMLInputElement, { texts, mistakeIn }: Surroundings): MistakeLine {
  const dom = element("span", "error-text editor-mistake");
  dom.id = `editor-mistake-${(count += 1)}`;
  dom.setAttribute("role", "status");
  const show = (mistake: Mistake | undefined) => {
    dom.textContent = mistake ? texts.mistake(mistake.message, mistake.line, mistake.column) : "";
    input.toggleAttribute("data-invalid", mistake !== undefined);
    if (mistake) {
      input.setAttribute("aria-invalid", "true");
      input.setAttribute("aria-describedby", dom.id);
    } else {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
  };
  const check = new ExpressionCheck(mistakeIn, show);
  const written = () => check.written(input.value);
  input.addEventListener("input", written);
  input.addEventListener("focus", written);
  return {
    dom,
    changed: () => {
      if (dom.textContent !== "") written();
    },
    stop: () => check.stop(),
  };
}
