import { describe, expect, it } from "vitest";

import { pointsOf, topOf } from "./points";
import { rowsOf } from "./queries";

const now = Date.UTC(2026, 10, 25, 15, 30);

describe("points of a chart", () => {
  it("has a point for each day", () => {
    const rows = rowsOf([
      { column: "datetime", values: ["2026-11-24T00:00:00.000Z", "2026-11-25T00:00:00Z"] },
      { column: "eventsCount", values: [3, 5] },
      { column: "visitorsCount", values: [2, 4] },
    ]);
    const points = pointsOf(rows, "last7Days", now);
    expect(points.map(({ views }) => views)).toEqual([0, 0, 0, 0, 0, 0, 3, 5]);
    expect(points.at(-1)?.visitors).toBe(4);
  });

  it("begins weeks on Monday and months on their first day", () => {
    expect(pointsOf([], "last3Months", now)[0]?.at.toISOString()).toBe("2026-08-24T00:00:00.000Z");
    expect(pointsOf([], "lastYear", now)).toHaveLength(13);
    expect(pointsOf([], "last24Hours", now)).toHaveLength(25);
  });
});

it("rounds the top of a chart", () => {
  expect([0, 7, 41, 100, 101, 999].map((most) => topOf([most]))).toEqual([4, 8, 50, 100, 200, 1000]);
});
