import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { useMessages } from "../../i18n";
import { ErrorState, Loading, useNumbers } from "../../ui";
import { numberOf, type Row } from "./queries";

interface Props {
  found: UseQueryResult<Row[]>;
  /** The heading of the first column. */
  heading: string;
  /** The heading of the numbers of events. */
  counted: string;
  empty: string;
  /** Returns the content of the first column. */
  nameOf: (row: Row) => ReactNode;
}

/** A table of the most frequent values with their numbers, and bars behind them. */
export function TopTable({ found, heading, counted, empty, nameOf }: Props) {
  const { sites } = useMessages();
  const numbers = useNumbers();
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data.length === 0) return <p className="muted">{empty}</p>;
  const most = Math.max(1, ...found.data.map((row) => numberOf(row, "eventsCount")));
  return (
    <div className="table-scroll">
      <table className="table sites-figures">
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">{counted}</th>
            <th scope="col">{sites.visitorCount}</th>
          </tr>
        </thead>
        <tbody>
          {found.data.map((row, at) => (
            <tr key={at}>
              <td>
                <span className="sites-figure-name">{nameOf(row)}</span>
                <svg className="sites-figure-bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(numberOf(row, "eventsCount") / most) * 100} height="3" />
                </svg>
              </td>
              <td>{numbers(numberOf(row, "eventsCount"))}</td>
              <td>{numbers(numberOf(row, "visitorsCount"))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
