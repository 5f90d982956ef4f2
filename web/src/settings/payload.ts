/** A fact about an event: a value, or a value before and after a change. */
export interface Fact {
  /** The name of the field in the API. */
  field: string;
  value?: unknown;
  before?: unknown;
  after?: unknown;
}

/** Fields whose facts are shown in other places. */
const SHOWN_ELSEWHERE = new Set(["origin", "changes", "before", "after"]);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the facts in the payload of an audit event: changes of fields first, then its other values. */
export function factsOf(payload: Record<string, unknown>): Fact[] {
  const facts: Fact[] = [];
  const { changes, before, after } = payload;
  if (Array.isArray(changes)) {
    for (const change of changes) {
      if (isObject(change)) facts.push({ field: String(change["field"]), before: change["before"], after: change["after"] });
    }
  }
  if (isObject(before) || isObject(after)) {
    const [old, young] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    for (const field of new Set([...Object.keys(old), ...Object.keys(young)])) {
      if (JSON.stringify(old[field]) !== JSON.stringify(young[field])) facts.push({ field, before: old[field], after: young[field] });
    }
  } else if ("before" in payload && "after" in payload) {
    facts.push({ field: "access", before, after });
  }
  for (const [field, value] of Object.entries(payload)) {
    if (!SHOWN_ELSEWHERE.has(field) && value !== null && value !== undefined) facts.push({ field, value });
  }
  return facts;
}

/** Returns a field name as words. Example: `emailDomains` becomes "Email domains". */
export function wordsOf(field: string): string {
  const words = field.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_]/g, " ").toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
