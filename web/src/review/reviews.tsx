import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { useArrival } from "../space/asked-comment";
import { Avatar, Badge, Button, TextField, Time } from "../ui";
import { type ChangePlace, useReview } from "./actions";
import { Text } from "./said";
import { askedQuery, reviewsQuery } from "./queries";
import { latestReviews } from "./rules";

/** The reviews of a change request, the people who were asked for one, and a form for a new one. */
export function Reviews({ place, canReview }: { place: ChangePlace; canReview: boolean }) {
  const { review } = useMessages();
  const found = useQuery(reviewsQuery(place));
  const asked = useQuery(askedQuery(place));
  const items = [...(found.data ?? [])].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const latest = new Set(latestReviews(items).map(({ id }) => id));
  const reviewers = new Set(items.map(({ reviewer }) => reviewer.id));
  const waiting = (asked.data ?? []).filter(({ id }) => !reviewers.has(id));
  return (
    <section className="page-section" aria-labelledby="reviews">
      <h2 id="reviews">{review.reviews}</h2>
      {items.length === 0 && waiting.length === 0 && <p className="muted">{review.noReviews}</p>}
      <ul className="review-list">
        {items.map((one) => (
          <Opinion key={one.id} place={place} one={one} isLatest={latest.has(one.id)} />
        ))}
        {waiting.map((user) => (
          <li key={user.id} className="row">
            <Avatar name={user.displayName} url={user.photoURL} />
            <strong>{user.displayName}</strong>
            <span className="muted">{review.wasAsked}</span>
          </li>
        ))}
      </ul>
      {canReview && <ReviewForm place={place} />}
    </section>
  );
}

function Opinion({ place, one, isLatest }: { place: ChangePlace; one: Schemas["ChangeRequestReview"]; isLatest: boolean }) {
  const { review } = useMessages();
  const [element, isAsked] = useArrival<HTMLLIElement>(one.comment?.id);
  const counts = isLatest && !one.outdated;
  return (
    <li ref={element} className="review-opinion" data-asked={isAsked || undefined} tabIndex={isAsked ? -1 : undefined}>
      <p className="row">
        <Avatar name={one.reviewer.displayName} url={one.reviewer.photoURL} />
        <strong>{one.reviewer.displayName}</strong>
        <Badge tone={!counts ? "neutral" : one.status === "approved" ? "success" : "warning"}>
          {one.status === "approved" ? review.approved : review.changesRequested}
        </Badge>
        {one.outdated ? <span className="muted">{review.outdatedReview}</span> : !isLatest && <span className="muted">{review.replacedReview}</span>}
        <span className="muted">
          <Time at={one.createdAt} />
        </span>
      </p>
      {one.comment && <Text organization={place.organization} body={one.comment.body} />}
    </li>
  );
}

/** A form that approves a change request or asks for changes, with a comment. */
export function ReviewForm({ place, onDone }: { place: ChangePlace; onDone?: () => void }) {
  const { review } = useMessages();
  const [comment, setComment] = useState("");
  const submit = useReview(place, () => {
    setComment("");
    onDone?.();
  });
  const send = (status: Schemas["ChangeRequestReviewStatus"]) => submit.mutate({ status, comment: comment.trim() });
  return (
    <div className="stack review-form">
      <TextField label={review.reviewComment} value={comment} onChange={setComment} isMultiline rows={3} />
      <div className="row">
        <Button kind="primary" icon="check" isPending={submit.isPending && submit.variables.status === "approved"} onPress={() => send("approved")}>
          {review.approve}
        </Button>
        <Button isPending={submit.isPending && submit.variables.status === "changes-requested"} onPress={() => send("changes-requested")}>
          {review.requestChanges}
        </Button>
      </div>
    </div>
  );
}
