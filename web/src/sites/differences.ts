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

/** Returns a value with the differences that {@link differences} found between two others. */
export function withDifferences<T extends object>(value: T, changes: Values): T {
  const changed = { ...value } as Values;
  for (const [key, change] of Object.entries(changes)) {
    const old = changed[key];
    if (change === null) delete changed[key];
    else changed[key] = hasParts(key, old) && hasParts(key, change) ? withDifferences(old, change) : change;
  }
  return changed as T;
}

/** Returns the changes that were made to `base` as changes to `saved`, which somebody else may have changed. */
export function rebased<T extends object>({ base, value }: { base: T; value: T }, saved: T): T {
  return base === saved ? value : withDifferences(saved, differences(base, value));
}

/** Returns the number of values that differ. */
export function countDifferences(before: object, after: object): number {
  const count = (values: Values): number => Object.entries(values).reduce((sum, [key, value]) => sum + (hasParts(key, value) ? count(value) : 1), 0);
  return count(differences(before, after));
}
