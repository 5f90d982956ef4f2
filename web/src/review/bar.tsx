import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, changeRequestQuery } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Avatar, Badge, Button, type Command, Dialog, Menu, notify } from "../ui";
import { type ChangePlace, useMerge, usePatch, useStatus, useUpdate } from "./actions";
import { AskDialog } from "./ask";
import { download, pdfOf } from "./pdf";
import { askedQuery, conflictsQuery, MAX_SUBJECT, reviewsQuery } from "./queries";
import { useRevert } from "./revert";
import { ReviewForm } from "./reviews";
import { latestReviews } from "./rules";

const TONES = { draft: "neutral", open: "success", archived: "warning", merged: "purple" } as const;

/** The subject and the state of a change request, and the buttons that take it further. */
export function Bar({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const [location] = useLocation();
  const isReview = location.endsWith("/~/review");
  const found = useQuery(changeRequestQuery(place.space, place.changeRequest));
  const permissions = useQuery(spaceQuery(place.space)).data?.permissions;
  const [isAsking, setIsAsking] = useState(false);
  const [isReviewing, setIsReviewing] = useState(false);
  const [reasons, setReasons] = useState<string[]>([]);
  const update = useUpdate(place);
  const merge = useMerge(place, Number(place.changeRequest), setReasons);
  const row = found.data;
  if (!row) return null;
  const isActive = row.status === "draft" || row.status === "open";
  const canEdit = isActive && (permissions?.editChangeRequests ?? false);
  return (
    <div className="review-bar">
      <Badge tone={TONES[row.status]}>{review.statuses[row.status]}</Badge>
      <span className="muted review-number">#{row.number}</span>
      <Subject place={place} row={row} canEdit={canEdit} />
      <div className="review-actions">
        <Reviewers place={place} />
        {isActive && <ConflictMark place={place} />}
        {canEdit && row.outdated && (
          <Button isSmall isPending={update.isPending} onPress={() => update.mutate()}>
            {review.update}
          </Button>
        )}
        <Link className="button button-small" href={isReview ? addressOf(place) : addressOf(place, "~/review")}>
          {isReview ? review.backToPages : review.review}
        </Link>
        {isReview && isActive && permissions?.review && (
          <Button isSmall onPress={() => setIsReviewing(true)}>
            {review.review}
          </Button>
        )}
        {canEdit && (
          <Button isSmall onPress={() => setIsAsking(true)}>
            {review.requestReview}
          </Button>
        )}
        {isActive && permissions?.merge && (
          <Button isSmall kind="primary" icon="merge" isPending={merge.isPending} onPress={() => merge.mutate()}>
            {review.merge}
          </Button>
        )}
      </div>
      <MoreMenu place={place} row={row} canEdit={permissions?.editChangeRequests ?? false} />
      {isAsking && <AskDialog place={place} row={row} onClose={() => setIsAsking(false)} />}
      <Dialog title={review.reviewOf(row.subject || review.untitled)} isOpen={isReviewing} onClose={() => setIsReviewing(false)}>
        <ReviewForm place={place} onDone={() => setIsReviewing(false)} />
      </Dialog>
      <Refusal place={place} reasons={reasons} onClose={() => setReasons([])} />
    </div>
  );
}

interface RowProps {
  place: ChangePlace;
  row: Schemas["ChangeRequest"];
  canEdit: boolean;
}

function Subject({ place, row, canEdit }: RowProps) {
  const { review } = useMessages();
  const patch = usePatch(place);
  const [subject, setSubject] = useState<string>();
  // The typed text stays until the server has answered with it.
  useEffect(() => setSubject((typed) => (typed === row.subject ? undefined : typed)), [row.subject]);
  return (
    <input
      className="review-subject"
      aria-label={review.subject}
      placeholder={review.untitled}
      maxLength={MAX_SUBJECT}
      readOnly={!canEdit}
      value={subject ?? row.subject}
      onChange={(event) => setSubject(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") setSubject(undefined);
      }}
      onBlur={() => {
        const next = subject?.trim();
        if (next === undefined || next === row.subject) setSubject(undefined);
        else patch.mutate({ subject: next });
      }}
    />
  );
}

/** The people who reviewed or were asked to, each with the state of the review. */
function Reviewers({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const reviews = useQuery(reviewsQuery(place));
  const asked = useQuery(askedQuery(place));
  const latest = latestReviews(reviews.data ?? []);
  const known = new Set(latest.map(({ reviewer }) => reviewer.id));
  const people = [
    ...latest.map(({ reviewer, status, outdated }) => ({ user: reviewer, state: outdated ? ("outdated" as const) : status })),
    ...(asked.data ?? []).filter(({ id }) => !known.has(id)).map((user) => ({ user, state: "asked" as const })),
  ];
  if (people.length === 0) return null;
  return (
    <ul className="review-people" aria-label={review.reviewers}>
      {people.slice(0, 6).map(({ user, state }) => {
        const text = review.personState(user.displayName, review.reviewStates[state]);
        return (
          <li key={user.id} data-state={state} title={text}>
            <Avatar name={user.displayName} url={user.photoURL} />
            <span className="visually-hidden">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

function ConflictMark({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const count = useQuery(conflictsQuery(place)).data?.length ?? 0;
  if (count === 0) return null;
  return (
    <Link className="review-conflict-mark" href={`${addressOf(place, "~/review")}#conflicts`}>
      <Badge tone="danger">{review.conflictCount(count)}</Badge>
    </Link>
  );
}

function MoreMenu({ place, row, canEdit }: RowProps) {
  const { review } = useMessages();
  const setStatus = useStatus(place, row.status);
  const revert = useRevert(place, row);
  const pdf = async () => {
    notify(review.makingPdf);
    try {
      download(await pdfOf(place), `${row.subject || review.untitled}.pdf`);
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { tone: "danger" });
    }
  };
  const copy = () => navigator.clipboard.writeText(row.urls.app).then(() => notify(review.linkCopied), () => notify(review.linkNotCopied(row.urls.app), { tone: "danger" }));
  const commands: Command[] = [
    { id: "copy", label: review.copyLink, icon: "link", run: () => void copy() },
    { id: "pdf", label: review.downloadPdf, icon: "file", run: () => void pdf() },
  ];
  if (canEdit && row.status === "draft") commands.push({ id: "open", label: review.makeOpen, icon: "changes", run: () => setStatus("open") });
  if (canEdit && row.status === "open") commands.push({ id: "draft", label: review.makeDraft, icon: "edit", run: () => setStatus("draft") });
  if (canEdit && row.status === "archived") commands.push({ id: "reopen", label: review.reopen, icon: "changes", run: () => setStatus("open") });
  if (canEdit && (row.status === "draft" || row.status === "open")) commands.push({ id: "archive", label: review.archive, icon: "trash", run: () => setStatus("archived") });
  if (canEdit && row.status === "merged") commands.push({ id: "revert", label: review.revert, icon: "history", run: () => revert.mutate() });
  return <Menu label={review.more} commands={commands} />;
}

/** Explains why a change request cannot be merged, and leads to what helps. */
function Refusal({ place, reasons, onClose }: { place: ChangePlace; reasons: string[]; onClose: () => void }) {
  const { review, shell } = useMessages();
  const [, navigate] = useLocation();
  return (
    <Dialog
      title={review.notMergeable}
      isOpen={reasons.length > 0}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{shell.close}</Button>
          <Button
            kind="primary"
            onPress={() => {
              onClose();
              navigate(addressOf(place, "~/review"));
            }}
          >
            {review.showChecks}
          </Button>
        </>
      }
    >
      <ul className="review-reasons">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </Dialog>
  );
}
