import { Fragment } from "react";

import { useMessages } from "../i18n";
import { type Counts, LEVELS } from "./changes";

/** The numbers of changes of each level, in words. */
export function ChangeCounts({ counts }: { counts: Counts }) {
  const { changes: texts } = useMessages().openapi;
  const levels = LEVELS.filter((level) => counts[level] > 0);
  if (levels.length === 0) return <>{texts.none}</>;
  if (levels[0] === "info") return <>{texts.onlyInfos(counts.info)}</>;
  return levels.map((level, at) => (
    <Fragment key={level}>
      {at > 0 && ", "}
      <span data-level={level}>{texts.counts[level](counts[level])}</span>
    </Fragment>
  ));
}
