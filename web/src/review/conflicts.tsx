import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Schemas } from "../api/client";
import { pagesQuery, type TreePage } from "../api/place";
import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { indexOf } from "../space/tree";
import { Button } from "../ui";
import { type ChangePlace, useResolve } from "./actions";
import type { Difference } from "./difference";
import { conflictsQuery } from "./queries";
import { Rich, RichContext } from "./rich";

type Conflict = Schemas["ContentConflict"];

interface Props {
  place: ChangePlace;
  canResolve: boolean;
  differences: readonly Difference[];
}

const NO_PAGES: TreePage[] = [];

/** The conflicts of a change request with all versions, and the buttons that decide them. */
export function Conflicts({ place, canResolve, differences }: Props) {
  const { review } = useMessages();
  const found = useQuery(conflictsQuery(place));
  const resolve = useResolve(place);
  const pages = useQuery({ ...pagesQuery(place), enabled: (found.data?.length ?? 0) > 0 });
  const items = found.data ?? [];
  const hasItems = items.length > 0;
  useEffect(() => {
    if (hasItems && location.hash === "#conflicts") document.getElementById("conflicts")?.scrollIntoView();
  }, [hasItems]);
  if (!hasItems) return null;
  const index = indexOf(pages.data ?? NO_PAGES);
  const titleOf = ({ page, path, file, reusableContent, variable }: Conflict) => {
    const id = page ?? file ?? reusableContent ?? variable;
    return (page !== undefined && index.get(page)?.page.title) || differences.find((one) => one.id === id)?.title || path || variable || review.conflicts;
  };
  return (
    <section className="page-section" aria-labelledby="conflicts">
      <header className="review-section-head">
        <h2 id="conflicts" tabIndex={-1}>
          {review.conflicts}
        </h2>
        <span className="muted" role="status">
          {review.conflictCount(items.length)}
        </span>
        <span className="grow" />
        {canResolve && items.length > 1 && (
          <>
            <Button isSmall isPending={resolve.isPending} onPress={() => resolve.mutate({ choice: "proposed" })}>
              {review.keepAll}
            </Button>
            <Button isSmall isPending={resolve.isPending} onPress={() => resolve.mutate({ choice: "main" })}>
              {review.useAll}
            </Button>
          </>
        )}
      </header>
      <p className="review-hint">{review.conflictsHint}</p>
      {items.map((conflict) => {
        const title = review.conflictAt(titleOf(conflict), aboutOf(conflict, review));
        const choose = (choice: Schemas["ConflictChoice"]) => resolve.mutate({ choice, conflicts: [conflict.id] });
        const isPending = resolve.isPending && (resolve.variables.conflicts?.includes(conflict.id) ?? false);
        return (
          <article key={conflict.id} className="review-change review-conflict" aria-label={title} tabIndex={-1} data-stop="">
            <h3>{title}</h3>
            <RichContext value={{ organization: place.organization, fileAddress: () => undefined }}>
              <div className="review-versions">
                <Version title={review.base} value={conflict.base} />
                <Version title={review.proposed} value={conflict.proposed} />
                <Version title={review.main} value={conflict.main} />
              </div>
            </RichContext>
            {canResolve && (
              <div className="row">
                <Button isSmall isPending={isPending} onPress={() => choose("proposed")}>
                  {review.keepProposed}
                </Button>
                <Button isSmall isPending={isPending} onPress={() => choose("main")}>
                  {review.useMain}
                </Button>
                <Button isSmall kind="quiet" isPending={isPending} onPress={() => choose("base")}>
                  {review.useBase}
                </Button>
              </div>
            )}
          </article>
        );
      })}
    </section>
  );
}

type Texts = ReturnType<typeof useMessages>["review"];

function aboutOf({ about, attribute }: Conflict, review: Texts): string {
  return attribute === undefined ? review.conflictAbout[about] : (review.attributes[attribute] ?? attribute);
}

function isNode(value: unknown): value is JsonNode {
  return typeof value === "object" && value !== null && "object" in value;
}

/** Returns the text of a value that is no block. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(valueText).join("\n");
  const { markdown, title, path, name } = value as Record<string, unknown>;
  const known = [markdown, title, path, name].find((one) => typeof one === "string");
  return typeof known === "string" ? known : JSON.stringify(value, undefined, 1);
}

function Version({ title, value }: { title: string; value: unknown }) {
  const { review } = useMessages();
  const nodes = isNode(value) ? [value] : Array.isArray(value) && value.every(isNode) ? value : undefined;
  const text = nodes ? "" : valueText(value);
  return (
    <div className="review-version">
      <h4>{title}</h4>
      {nodes ? <Rich nodes={nodes} /> : text ? <p className="review-value">{text}</p> : <p className="muted">{review.nothing}</p>}
    </div>
  );
}
