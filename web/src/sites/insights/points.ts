import { INTERVALS, numberOf, type Range, type Row } from "./queries";

/** The views in one step of a chart. */
export interface Point {
  at: Date;
  views: number;
  visitors: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const LENGTHS: Record<Range, number> = { last24Hours: DAY, last7Days: 7 * DAY, last30Days: 30 * DAY, last3Months: 90 * DAY, lastYear: 365 * DAY };

/** Returns the beginning of the step of a time, in UTC. */
function beginOf(time: number, interval: (typeof INTERVALS)[Range]): Date {
  const date = new Date(time);
  date.setUTCMinutes(0, 0, 0);
  if (interval !== "hour") date.setUTCHours(0);
  if (interval === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (interval === "month") date.setUTCDate(1);
  return date;
}

/** Returns the beginning of the step after another one. */
function nextOf(begin: Date, interval: (typeof INTERVALS)[Range]): Date {
  const next = new Date(begin);
  if (interval === "hour") next.setUTCHours(next.getUTCHours() + 1);
  if (interval === "day") next.setUTCDate(next.getUTCDate() + 1);
  if (interval === "week") next.setUTCDate(next.getUTCDate() + 7);
  if (interval === "month") next.setUTCMonth(next.getUTCMonth() + 1);
  return next;
}

/** Returns the points of a chart with those at which nothing happened, up to `now`. */
export function pointsOf(rows: readonly Row[], range: Range, now: number): Point[] {
  const interval = INTERVALS[range];
  const known = new Map(rows.map((row) => [new Date(String(row.datetime)).getTime(), row]));
  const points: Point[] = [];
  for (let at = beginOf(now - LENGTHS[range], interval); at.getTime() <= now; at = nextOf(at, interval)) {
    const row = known.get(at.getTime());
    points.push({ at, views: numberOf(row, "eventsCount"), visitors: numberOf(row, "visitorsCount") });
  }
  return points;
}

/** Returns a round number that is at least as large as all others, for the top of a chart. */
export function topOf(values: readonly number[]): number {
  const most = Math.max(4, ...values);
  const unit = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 4, 5, 8, 10].find((step) => step * unit >= most) ?? 10) * unit;
}
