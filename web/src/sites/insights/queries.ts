import { queryOptions } from "@tanstack/react-query";

import { client, data, type Schemas } from "../../api/client";
import { keyOfSite, pathOf, type SiteRef } from "../queries";

export type Range = Schemas["SiteInsightsQueryRangePreset"];
type Question = Omit<Schemas["SiteInsightsQueryEventsAggregation"], "range" | "limit"> & { limit?: number };
type Column = Schemas["SiteInsightsQueryEventsColumn"];
type Values = Schemas["SiteInsightsQueryEventsValues"];
type Filter = Schemas["SiteInsightsQueryEventsFilter"];

/** Maximum number of rows of a table. */
const ROWS = 20;

/** The ranges of time that can be chosen. */
export const RANGES: readonly Range[] = ["last24Hours", "last7Days", "last30Days", "last3Months", "lastYear"];

type Interval = "hour" | "day" | "week" | "month";

/** The steps of the chart of a range. */
export const INTERVALS: Record<Range, Interval> = {
  last24Hours: "hour",
  last7Days: "day",
  last30Days: "day",
  last3Months: "week",
  lastYear: "month",
};

const PEOPLE: Filter = { column: "visitorBot", operator: "in", values: [null] };
const VIEWS: Filter = { column: "eventType", operator: "in", values: ["page_view"] };
const SEARCHES: Filter = { column: "eventType", operator: "in", values: ["search_type_query"] };

const EVENTS: Column = { column: "eventsCount" };
const VISITORS: Column = { column: "visitorsCount" };
const SESSIONS: Column = { column: "sessionsCount" };

/** One row of an answer, by the names of its columns. */
export type Row = Partial<Record<Values["column"], unknown>>;

/** Returns the rows of an answer that lists values by columns. */
export function rowsOf(columns: readonly Values[]): Row[] {
  const length = Math.max(0, ...columns.map(({ values }) => values.length));
  return Array.from({ length }, (_, at) => Object.fromEntries(columns.map(({ column, values }) => [column, values[at]])));
}

/** Asks a question about the events of a site. */
function askQuery(site: SiteRef, name: string, range: Range, question: Question) {
  return queryOptions({
    queryKey: [...keyOfSite(site), "insights", name, range],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const params = { path: pathOf(site) };
      const found = client.POST("/orgs/{organizationId}/sites/{siteId}/insights/events/aggregate", { params, body: { limit: ROWS, ...question, range }, signal });
      return rowsOf((await data(found)).columns);
    },
  });
}

export const totalsQuery = (site: SiteRef, range: Range) =>
  askQuery(site, "totals", range, { select: [EVENTS, VISITORS, SESSIONS], where: [VIEWS, PEOPLE] });

export const viewsQuery = (site: SiteRef, range: Range) =>
  askQuery(site, "views", range, {
    select: [{ column: "datetime", interval: INTERVALS[range] }, EVENTS, VISITORS],
    groupBy: [{ column: "datetime", interval: INTERVALS[range] }],
    where: [VIEWS, PEOPLE],
    limit: 1000,
  });

export const pagesQuery = (site: SiteRef, range: Range) =>
  askQuery(site, "pages", range, {
    select: [{ column: "page" }, EVENTS, VISITORS],
    groupBy: [{ column: "page" }],
    where: [VIEWS, PEOPLE],
    order: { by: EVENTS, direction: "desc" },
  });

/** The queries of searches; with `isEmpty`, those that found nothing. */
export const searchesQuery = (site: SiteRef, range: Range, isEmpty: boolean) =>
  askQuery(site, isEmpty ? "empty-searches" : "searches", range, {
    select: [{ column: "eventSearchQuery" }, EVENTS, VISITORS],
    groupBy: [{ column: "eventSearchQuery" }],
    where: [SEARCHES, PEOPLE, ...(isEmpty ? [{ column: "eventSearchResults", operator: "in", values: [0] } as Filter] : [])],
    order: { by: EVENTS, direction: "desc" },
  });

export const ratingsQuery = (site: SiteRef, range: Range) =>
  askQuery(site, "ratings", range, {
    select: [{ column: "page" }, { column: "pageFeedbackRating" }, EVENTS],
    groupBy: [{ column: "page" }],
    where: [{ column: "eventType", operator: "in", values: ["page_post_feedback"] }],
    order: { by: EVENTS, direction: "desc" },
  });

/** The properties by which visitors are divided. */
export const DIMENSIONS = ["referrerDomain", "visitorDevice", "visitorBrowser", "visitorOS", "visitorLanguage"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const dimensionQuery = (site: SiteRef, range: Range, dimension: Dimension) =>
  askQuery(site, dimension, range, {
    select: [{ column: dimension }, EVENTS, VISITORS],
    groupBy: [{ column: dimension }],
    where: [VIEWS, PEOPLE],
    order: { by: EVENTS, direction: "desc" },
  });

/** Returns a number of a row. */
export function numberOf(row: Row | undefined, column: Values["column"]): number {
  const value = row?.[column];
  return typeof value === "number" ? value : 0;
}
