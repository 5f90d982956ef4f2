import { use } from "react";

import { useMessages } from "../i18n";
import { type Attribute, isOn, type Run, type Side } from "./difference";
import { type ValueTexts, valueTexts } from "./values";
import { TitlesContext } from "./versions";

function useValueTexts(): ValueTexts {
  const { review } = useMessages();
  const { nothing, yes, no, someFile } = review;
  return { nothing, yes, no, file: someFile, titleOf: use(TitlesContext) };
}

/** The values of an attribute in both versions, or in one of them. */
function Values({ attribute, side }: { attribute: Attribute; side: Side }) {
  const { before, after } = valueTexts(attribute, useValueTexts());
  return (
    <>
      {side !== "after" && <del>{before}</del>} {side !== "before" && <ins>{after}</ins>}
    </>
  );
}

/** The runs of a text: inserted and deleted words are marked. */
export function Runs({ runs, side }: { runs: readonly Run[]; side: Side }) {
  return runs.map((run, at) => (isOn(side, run.change) ? <OneRun key={at} run={run} side={side} /> : null));
}

function OneRun({ run, side }: { run: Run; side: Side }) {
  const { review } = useMessages();
  const content = run.runs ? <Runs runs={run.runs} side={side} /> : run.text;
  if (run.change === "inserted") return <ins>{content}</ins>;
  if (run.change === "deleted") return <del>{content}</del>;
  if (run.change === "same" || !run.attributes?.length) return content;
  const names = run.attributes.map(({ name }) => review.attributes[name] ?? name).join(", ");
  const target = run.attributes.find(({ name }) => name === "ref");
  return (
    <>
      <span className="review-edited" title={review.formatChanged(names)}>
        {content}
      </span>
      {target && (
        <span className="review-target-change">
          {" ("}
          <Values attribute={target} side={side} />
          {")"}
        </span>
      )}
    </>
  );
}

/** The changed attributes, each with its values before and after. */
export function Attributes({ attributes, side = "both", without }: { attributes: readonly Attribute[] | undefined; side?: Side; without?: string }) {
  const { review } = useMessages();
  const shown = (attributes ?? []).filter(({ name }) => name !== without);
  if (shown.length === 0) return null;
  return (
    <dl className="review-attributes">
      {shown.map((attribute) => (
        <div key={attribute.name}>
          <dt>{review.attributes[attribute.name] ?? attribute.name}</dt>
          <dd>
            <Values attribute={attribute} side={side} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
