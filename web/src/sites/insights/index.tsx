import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";

import { ApiError } from "../../api/errors";
import { useMessages } from "../../i18n";
import { ErrorState, Loading, Select, useNumbers } from "../../ui";
import { Part } from "../parts";
import type { SiteRef } from "../queries";
import { ViewsChart } from "./chart";
import { FeedbackList, PageLink, Ratings } from "./feedback";
import { pageRef, usePageNames } from "./page-names";
import { pointsOf } from "./points";
import { type Dimension, dimensionQuery, DIMENSIONS, numberOf, pagesQuery, type Range, RANGES, searchesQuery, totalsQuery, viewsQuery } from "./queries";
import { TopTable } from "./table";

/** The readers of a site in numbers: views, searches, ratings and comments. */
export default function SiteInsights({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const [params, setParams] = useSearchParams();
  const range = RANGES.find((one) => one === params.get("range")) ?? "last30Days";
  const totals = useQuery(totalsQuery(site, range));
  // Who may not read one of the numbers may read none.
  if (totals.error instanceof ApiError && totals.error.status === 403) return <ErrorState error={totals.error} />;
  return (
    <>
      <div className="sites-range">
        <Select
          label={sites.range}
          isLabelHidden
          options={RANGES.map((id) => ({ id, label: sites.ranges[id] }))}
          value={range}
          onChange={(chosen) => setParams({ range: chosen }, { replace: true })}
        />
      </div>
      <Views site={site} range={range} />
      <Pages site={site} range={range} />
      <div className="sites-columns">
        <Searches site={site} range={range} isEmpty={false} />
        <Searches site={site} range={range} isEmpty />
      </div>
      <Visitors site={site} range={range} />
      <Ratings site={site} range={range} />
      <FeedbackList site={site} />
    </>
  );
}

interface Props {
  site: SiteRef;
  range: Range;
}

function Views({ site, range }: Props) {
  const { sites } = useMessages();
  const numbers = useNumbers();
  const totals = useQuery(totalsQuery(site, range));
  const views = useQuery(viewsQuery(site, range));
  const points = useMemo(() => pointsOf(views.data ?? [], range, views.dataUpdatedAt), [views.data, views.dataUpdatedAt, range]);
  const row = totals.data?.[0];
  const figures = [
    { label: sites.viewCount, value: numberOf(row, "eventsCount") },
    { label: sites.visitorCount, value: numberOf(row, "visitorsCount") },
    { label: sites.sessionCount, value: numberOf(row, "sessionsCount") },
  ];
  return (
    <Part title={sites.traffic}>
      {totals.isPending && <Loading />}
      {totals.isError && <ErrorState error={totals.error} onRetry={() => void totals.refetch()} />}
      {totals.isSuccess && (
        <dl className="sites-totals">
          {figures.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{numbers(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {views.isError && <ErrorState error={views.error} onRetry={() => void views.refetch()} />}
      {views.isSuccess && <ViewsChart points={points} range={range} />}
    </Part>
  );
}

function Pages({ site, range }: Props) {
  const { sites } = useMessages();
  const found = useQuery(pagesQuery(site, range));
  const nameOf = usePageNames(site.organization, (found.data ?? []).map((row) => pageRef(row.page)));
  return (
    <Part title={sites.topPages}>
      <TopTable
        found={found}
        heading={sites.page}
        counted={sites.viewCount}
        empty={sites.noViews}
        nameOf={(row) => {
          const page = pageRef(row.page);
          return page ? <PageLink site={site} page={page} name={nameOf(page)} /> : sites.unknownPage;
        }}
      />
    </Part>
  );
}

function Searches({ site, range, isEmpty }: Props & { isEmpty: boolean }) {
  const { sites } = useMessages();
  const found = useQuery(searchesQuery(site, range, isEmpty));
  return (
    <Part title={isEmpty ? sites.emptySearches : sites.searches} hint={isEmpty ? sites.emptySearchesHint : sites.searchesHint}>
      <TopTable
        found={found}
        heading={sites.searchQuery}
        counted={sites.searchCount}
        empty={isEmpty ? sites.noEmptySearches : sites.noSearches}
        nameOf={(row) => String(row.eventSearchQuery ?? "")}
      />
    </Part>
  );
}

function Visitors({ site, range }: Props) {
  const { sites } = useMessages();
  const [dimension, setDimension] = useState<Dimension>("referrerDomain");
  const found = useQuery(dimensionQuery(site, range, dimension));
  return (
    <Part title={sites.visitors}>
      <div className="sites-range">
        <Select
          label={sites.dimension}
          isLabelHidden
          options={DIMENSIONS.map((id) => ({ id, label: sites.dimensions[id] }))}
          value={dimension}
          onChange={setDimension}
        />
      </div>
      <TopTable
        found={found}
        heading={sites.dimensions[dimension]}
        counted={sites.viewCount}
        empty={sites.noViews}
        nameOf={(row) => String(row[dimension] ?? "") || sites.unknown}
      />
    </Part>
  );
}
