import type { AuditFilter } from "./queries";

/** The periods that are offered; `custom` is bounded by days. */
export const PERIODS = ["all", "day", "week", "month", "custom"] as const;
export type Period = (typeof PERIODS)[number];

const DAY = 86_400_000;
const LENGTHS: Partial<Record<Period, number>> = { day: DAY, week: 7 * DAY, month: 30 * DAY };

/** The filters of the audit log as they are asked for in the address. */
export interface Asked {
  actor: string;
  action: string;
  target: string;
  period: Period;
  /** The first and the last day of a custom period, such as `2026-01-31`. */
  from: string;
  to: string;
}

function isPeriod(text: string): text is Period {
  return (PERIODS as readonly string[]).includes(text);
}

/** Returns the filters in the query of an address. */
export function askedOf(search: string): Asked {
  const parameters = new URLSearchParams(search);
  const text = (name: string) => parameters.get(name) ?? "";
  const period = text("period");
  return { actor: text("actor"), action: text("action"), target: text("target"), period: isPeriod(period) ? period : "all", from: text("from"), to: text("to") };
}

/** Returns the query of an address with these filters: empty, or with its question mark. */
export function searchOf(asked: Asked): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    const isLeftOut = value === "" || value === "all" || ((name === "from" || name === "to") && asked.period !== "custom");
    if (!isLeftOut) parameters.set(name, value);
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** Returns the time at which a day begins where the person is, some days later; empty for what is no day. */
function timeOf(day: string, later = 0): string {
  const [year, month, date] = day.split("-").map(Number);
  if (year === undefined || month === undefined || date === undefined) return "";
  const time = new Date(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

/** Returns the filter of the API. The last day of a custom period belongs to it; days in the wrong order change places. */
export function filterOf({ actor, action, target, period, from, to }: Asked, now: Date): AuditFilter {
  const length = LENGTHS[period];
  if (length !== undefined) return { actor, action, target, from: new Date(now.getTime() - length).toISOString(), to: "" };
  if (period !== "custom") return { actor, action, target, from: "", to: "" };
  const [first, last] = from !== "" && to !== "" && to < from ? [to, from] : [from, to];
  return { actor, action, target, from: timeOf(first), to: timeOf(last, 1) };
}
