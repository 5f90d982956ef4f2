import type { KeyboardEvent } from "react";

/** Returns whether Escape was pressed in an element, outside of its fields and of menus above it, which take it themselves. */
export function isEscapeIn({ key, currentTarget, target }: KeyboardEvent): boolean {
  return key === "Escape" && target instanceof Node && currentTarget.contains(target) && !(target instanceof HTMLInputElement);
}
