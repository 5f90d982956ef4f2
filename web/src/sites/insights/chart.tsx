import { useId, useState } from "react";

import { useLanguage, useMessages } from "../../i18n";
import { Button, useNumbers } from "../../ui";
import { type Point, topOf } from "./points";
import { INTERVALS, type Range } from "./queries";

const WIDTH = 720;
const HEIGHT = 180;
/** The space for the numbers beside the chart and the dates below it. */
const LEFT = 40;
const BELOW = 22;

/** Shows views over time as bars, and as a table for those who ask for it. */
export function ViewsChart({ points, range }: { points: readonly Point[]; range: Range }) {
  const { sites } = useMessages();
  const { language } = useLanguage();
  const numbers = useNumbers();
  const [isTable, setIsTable] = useState(false);
  const title = useId();
  const top = topOf(points.map(({ views }) => views));
  const step = (WIDTH - LEFT) / Math.max(1, points.length);
  const heightOf = (value: number) => (value / top) * (HEIGHT - BELOW - 8);
  const base = HEIGHT - BELOW;
  const format = dateFormat(language, range);
  const every = Math.ceil(points.length / 8);
  return (
    <figure className="sites-chart">
      <figcaption className="sites-chart-head">
        <span className="muted">{sites.chartSteps[INTERVALS[range]]}</span>
        <Button isSmall kind="quiet" onPress={() => setIsTable(!isTable)}>
          {isTable ? sites.asChart : sites.asTable}
        </Button>
      </figcaption>
      {isTable ? null : (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-labelledby={title} role="img">
          <title id={title}>{sites.chartTitle}</title>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line className="sites-chart-line" x1={LEFT} x2={WIDTH} y1={base - heightOf(top * part)} y2={base - heightOf(top * part)} />
              <text className="sites-chart-text" x={LEFT - 8} y={base - heightOf(top * part) + 4} textAnchor="end">
                {numbers(top * part)}
              </text>
            </g>
          ))}
          {points.map(({ at, views, visitors }, position) => (
            <g key={at.getTime()}>
              <title>{sites.chartPoint(format.format(at), views, visitors)}</title>
              <rect className="sites-chart-hit" x={LEFT + position * step} width={step} y={0} height={base} />
              <rect className="sites-chart-bar" x={LEFT + position * step + step * 0.15} width={step * 0.7} y={base - heightOf(views)} height={heightOf(views)} rx={1.5} />
              {position % every === 0 && (
                <text className="sites-chart-text" data-odd={(position / every) % 2 === 1 || undefined} x={LEFT + (position + 0.5) * step} y={HEIGHT - 5} textAnchor="middle">
                  {format.format(at)}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
      <div className={isTable ? "table-scroll" : "visually-hidden"}>
        <table className="table sites-figures">
          <thead>
            <tr>
              <th scope="col">{sites.time}</th>
              <th scope="col">{sites.viewCount}</th>
              <th scope="col">{sites.visitorCount}</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ at, views, visitors }) => (
              <tr key={at.getTime()}>
                <td>{format.format(at)}</td>
                <td>{numbers(views)}</td>
                <td>{numbers(visitors)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Returns the format of the times of a range, in UTC as they are counted. */
function dateFormat(language: string, range: Range): Intl.DateTimeFormat {
  const interval = INTERVALS[range];
  if (interval === "hour") return new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
  if (interval === "month") return new Intl.DateTimeFormat(language, { month: "short", year: "2-digit", timeZone: "UTC" });
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
}
