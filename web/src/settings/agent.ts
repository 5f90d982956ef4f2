/** The browsers by the words in their names, the more special ones first. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|Chromium\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and the system that a browser says it is. */
export interface Agent {
  browser: string | undefined;
  system: string | undefined;
}

/** Returns the browser and the system in the text with which a browser names itself. */
export function agentOf(text: string): Agent {
  const nameOf = (names: readonly [RegExp, string][]) => names.find(([words]) => words.test(text))?.[1];
  return { browser: nameOf(BROWSERS), system: nameOf(SYSTEMS) };
}
