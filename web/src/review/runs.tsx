import { useMessages } from "../i18n";
import { type Attribute, isOn, type Run, type Side } from "./difference";

/** The runs of a text: inserted and deleted words are marked. */
export function Runs({ runs, side }: { runs: readonly Run[]; side: Side }) {
  const { review } = useMessages();
  return runs.map((run, at) => {
    if (!isOn(side, run.change)) return null;
    const content = run.runs ? <Runs runs={run.runs} side={side} /> : run.text;
    if (run.change === "inserted") return <ins key={at}>{content}</ins>;
    if (run.change === "deleted") return <del key={at}>{content}</del>;
    if (run.change === "same" || !run.attributes?.length) return <span key={at}>{content}</span>;
    const names = run.attributes.map(({ name }) => review.attributes[name] ?? name).join(", ");
    return (
      <span key={at} className="review-edited" title={review.formatChanged(names)}>
        {content}
      </span>
    );
  });
}

/** Returns the text of a value of an attribute. */
function valueText(value: unknown, { nothing, yes, no }: { nothing: string; yes: string; no: string }): string {
  if (value === null || value === undefined || value === "") return nothing;
  if (typeof value === "boolean") return value ? yes : no;
  if (typeof value !== "object") return String(value);
  const { url, file, page, anchor } = value as Record<string, unknown>;
  const named = [url, page, anchor, file].filter((one) => typeof one === "string");
  return named.length > 0 ? named.join("#") : JSON.stringify(value);
}

/** The changed attributes, each with its values before and after. */
export function Attributes({ attributes, side = "both", without }: { attributes: readonly Attribute[] | undefined; side?: Side; without?: string }) {
  const { review } = useMessages();
  const shown = (attributes ?? []).filter(({ name }) => name !== without);
  if (shown.length === 0) return null;
  return (
    <dl className="review-attributes">
      {shown.map(({ name, before, after }) => (
        <div key={name}>
          <dt>{review.attributes[name] ?? name}</dt>
          <dd>
            {side !== "after" && <del>{valueText(before, review)}</del>} {side !== "before" && <ins>{valueText(after, review)}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
