import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { all, client, data, type Schemas } from "../api/client";
import { changeRequestQuery, keyOf } from "../api/place";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { DocumentBlocks } from "../space/comparison";
import { Avatar, Badge, Button, Checkbox, EmptyState, ErrorState, Loading, TextField, Time } from "../ui";
import { type ChangePlace, useResolve, useReview } from "./actions";

const TONES: Record<string, "success" | "danger" | "info" | "purple"> = { created: "success", deleted: "danger", edited: "info", moved: "purple" };

/** The review of a change request: its changes, its conflicts, and the opinions on it. */
export function Screen({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const row = useQuery(changeRequestQuery(place.space, place.changeRequest));
  return (
    <>
      <Title>{row.data?.subject || review.untitled}</Title>
      <div className="page">
        <h1>{row.data?.subject || review.untitled}</h1>
        <Conflicts place={place} />
        <Changes place={place} head={row.data?.revision ?? ""} />
        <Reviews place={place} />
      </div>
    </>
  );
}

function pathOf({ space: spaceId, changeRequest: changeRequestId }: ChangePlace) {
  return { spaceId, changeRequestId };
}

function Changes({ place, head }: { place: ChangePlace; head: string }) {
  const { review } = useMessages();
  const found = useQuery({
    queryKey: [...keyOf(place), "differences", head],
    queryFn: () =>
      all<Schemas["ContentDifference"]>((page) => {
        const params = { path: pathOf(place), query: { limit: 50, format: "json" as const, ...(page && { page }) } };
        const answer = client.GET("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/differences", { params });
        return data(answer) as Promise<{ items: Schemas["ContentDifference"][]; next?: { page: string } }>;
      }, 500),
  });
  return (
    <section className="page-section" aria-labelledby="changes">
      <h2 id="changes">{review.changes}</h2>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <EmptyState title={review.noChanges} />}
      {(found.data ?? []).map((difference) => (
        <Change key={`${difference.kind}/${difference.id}`} difference={difference} seenKey={`bindery.seen.${place.space}.${place.changeRequest}.${head}.${difference.id}`} />
      ))}
    </section>
  );
}

function Change({ difference, seenKey }: { difference: Schemas["ContentDifference"]; seenKey: string }) {
  const { review, shell } = useMessages();
  const [isSeen, setIsSeen] = useState(() => localStorage.getItem(seenKey) !== null);
  const see = (next: boolean) => {
    setIsSeen(next);
    if (next) localStorage.setItem(seenKey, "1");
    else localStorage.removeItem(seenKey);
  };
  return (
    <article className="review-change" aria-label={difference.title || shell.untitled}>
      <header className="row">
        <Badge tone={TONES[difference.change] ?? "info"}>{review.changed[difference.change] ?? difference.change}</Badge>
        <h3 className="grow">{difference.title || difference.path || shell.untitled}</h3>
        <Checkbox isSelected={isSeen} onChange={see}>
          {review.seen}
        </Checkbox>
      </header>
      {!isSeen && <DocumentBlocks difference={difference} />}
    </article>
  );
}

function Conflicts({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const resolve = useResolve(place);
  const found = useQuery({
    queryKey: [...keyOf(place), "conflicts"],
    queryFn: () => data(client.GET("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", { params: { path: pathOf(place), query: { limit: 100 } } })),
  });
  const items = found.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="page-section" aria-labelledby="conflicts">
      <h2 id="conflicts">{review.conflicts}</h2>
      {items.map((conflict) => (
        <article key={conflict.id} className="review-change">
          <h3>{review.conflictAt(conflict.path ?? conflict.page ?? "", conflict.attribute ?? conflict.about)}</h3>
          <div className="review-sides">
            <Side title={review.base} value={conflict.base} />
            <Side title={review.proposed} value={conflict.proposed} />
            <Side title={review.main} value={conflict.main} />
          </div>
          <div className="row">
            <Button isPending={resolve.isPending} onPress={() => resolve.mutate({ choice: "proposed", conflicts: [conflict.id] })}>
              {review.keepProposed}
            </Button>
            <Button isPending={resolve.isPending} onPress={() => resolve.mutate({ choice: "main", conflicts: [conflict.id] })}>
              {review.useMain}
            </Button>
          </div>
        </article>
      ))}
    </section>
  );
}

function Side({ title, value }: { title: string; value: unknown }) {
  const { review } = useMessages();
  return (
    <div className="panel">
      <p className="muted">{title}</p>
      <p className="review-value">{shownValue(value) || review.nothing}</p>
    </div>
  );
}

/** Returns the text of a value of a conflict: that of a block, or the value itself. */
function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(shownValue).join("\n");
  if (typeof value !== "object") return String(value);
  const { markdown, text, leaves, nodes, fragments } = value as Record<string, unknown>;
  if (typeof markdown === "string") return markdown;
  if (typeof text === "string") return text;
  const children = [leaves, nodes, fragments].filter(Array.isArray).flat();
  return children.length > 0 ? children.map(shownValue).join("") : JSON.stringify(value);
}

function Reviews({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const [comment, setComment] = useState("");
  const submit = useReview(place, () => setComment(""));
  const found = useQuery({
    queryKey: [...keyOf(place), "reviews"],
    queryFn: () => data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", { params: { path: pathOf(place), query: { limit: 100 } } })),
  });
  const items = found.data?.items ?? [];
  return (
    <section className="page-section" aria-labelledby="reviews">
      <h2 id="reviews">{review.reviews}</h2>
      {items.length === 0 && <p className="muted">{review.noReviews}</p>}
      <ul className="stack review-list">
        {items.map((one) => (
          <li key={one.id} className="row">
            <Avatar name={one.reviewer.displayName} />
            <strong>{one.reviewer.displayName}</strong>
            <Badge tone={one.status === "approved" ? "success" : "warning"}>{one.status === "approved" ? review.approved : review.changesRequested}</Badge>
            {one.outdated && <span className="muted">{review.outdatedReview}</span>}
            <span className="muted">
              <Time at={one.createdAt} />
            </span>
          </li>
        ))}
      </ul>
      <div className="stack">
        <TextField label={review.reviewComment} value={comment} onChange={setComment} isMultiline rows={3} />
        <div className="row">
          <Button kind="primary" icon="check" isPending={submit.isPending} onPress={() => submit.mutate({ status: "approved", comment })}>
            {review.approve}
          </Button>
          <Button isPending={submit.isPending} onPress={() => submit.mutate({ status: "changes-requested", comment })}>
            {review.requestChanges}
          </Button>
        </div>
      </div>
    </section>
  );
}
