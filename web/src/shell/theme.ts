import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

/** The themes in the order in which they are offered. */
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const STORED = "bindery.theme";

const listeners = new Set<() => void>();

/** Returns the chosen theme. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** Shows the application in the chosen theme. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === "system") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset["scheme"];
  } else {
    localStorage.setItem(STORED, theme);
    document.documentElement.dataset["scheme"] = theme;
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the chosen theme, also after it changed elsewhere. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}
