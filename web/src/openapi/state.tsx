import { useMessages } from "../i18n";
import { Badge, Icon, Time } from "../ui";
import { type Spec, stateOf } from "./spec";

const TONES = { pending: "neutral", progress: "info", read: "success", findings: "warning", failed: "danger", kept: "danger" } as const;

/** The state of a specification, with a sign if something is wrong. */
export function StateBadge({ spec }: { spec: Spec }) {
  const { openapi } = useMessages();
  const state = stateOf(spec);
  const isSigned = state === "findings" || state === "failed" || state === "kept";
  return (
    <Badge tone={TONES[state]}>
      {isSigned && <Icon name="warning" />}
      {openapi.states[state]}
    </Badge>
  );
}

/** The end of the last run. */
export function LastRun({ spec }: { spec: Spec }) {
  const { openapi } = useMessages();
  if (spec.lastProcessedAt === undefined) return <>{openapi.neverRead}</>;
  return (
    <>
      {openapi.lastRead} <Time at={spec.lastProcessedAt} />
    </>
  );
}
