export type Theme = "system" | "light" | "dark";

const STORED = "bindery.theme";

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
}
