import { createContext, use } from "react";

import type { Schemas } from "../../api/client";
import type { SiteRef } from "../queries";

export type Customization = Schemas["SiteCustomizationSettings"];
export type Styling = Customization["styling"];
export type ThemedColour = Schemas["CustomizationThemedColor"];
export type ContentLink = Schemas["CustomizationContentLink"];
export type HeaderItem = Schemas["CustomizationHeaderItem"];
export type Target = Schemas["ContentRef"];

/** The values that are replaced as a whole. */
const WHOLE = new Set(["tint", "favicon", "announcement", "logo", "font", "monospaceFont", "backgroundColor", "linkColor"]);

type Values = Record<string, unknown>;

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True if a value has parts that can be changed one by one. */
function hasParts(key: string, value: unknown): value is Values {
  return isObject(value) && !WHOLE.has(key) && !key.endsWith("Color");
}

/** True if two values are equal in all their parts. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isEqual(one, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => isEqual(a[key], b[key]));
}

/** Returns the values of `after` that differ from `before`, with `null` for those that are gone. */
export function differences(before: object, after: object): Values {
  const [old, now] = [before as Values, after as Values];
  const found: Values = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isEqual(old[key], now[key])) continue;
    found[key] = hasParts(key, old[key]) && hasParts(key, now[key]) ? differences(old[key], now[key]) : (now[key] ?? null);
  }
  return found;
}

/** Returns the number of values that differ. */
export function countDifferences(before: object, after: object): number {
  const count = (values: Values): number => Object.entries(values).reduce((sum, [key, value]) => sum + (hasParts(key, value) ? count(value) : 1), 0);
  return count(differences(before, after));
}

/** The customization that is edited, and what its fields need. */
export interface Look {
  site: SiteRef;
  value: Customization;
  /** True if it is that of one space of the site, which has fewer settings. */
  isVariant: boolean;
  set: (changes: Partial<Customization>) => void;
}

export const LookContext = createContext<Look | null>(null);

/** Returns the customization that is edited. */
export function useLook(): Look {
  const look = use(LookContext);
  if (!look) throw new Error("a field of the look is outside of its editor");
  return look;
}
