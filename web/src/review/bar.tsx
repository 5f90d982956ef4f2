import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data } from "../api/client";
import { addressOf, changeRequestQuery } from "../api/place";
import { useMessages } from "../i18n";
import { Badge, Button, Checkbox, type Command, Dialog, Menu, notify, TextField } from "../ui";
import { type ChangePlace, useMerge, usePatch, useRequestReview, useUpdate } from "./actions";

const TONES = { draft: "neutral", open: "success", archived: "warning", merged: "purple" } as const;

/** The subject and the state of a change request, and the buttons that take it further. */
export function Bar({ place }: { place: ChangePlace }) {
  const { review } = useMessages();
  const [location] = useLocation();
  const isReview = location.endsWith("/~/review");
  const found = useQuery(changeRequestQuery(place.space, place.changeRequest));
  const patch = usePatch(place);
  const update = useUpdate(place);
  const merge = useMerge(place, Number(place.changeRequest));
  const [subject, setSubject] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const row = found.data;
  if (!row) return null;
  const isActive = row.status === "draft" || row.status === "open";
  const commands: Command[] = [
    { id: "copy", label: review.copyLink, icon: "copy", run: () => void navigator.clipboard.writeText(row.urls.app).then(() => notify(review.linkCopied)) },
  ];
  if (row.status === "draft") commands.push({ id: "open", label: review.makeOpen, run: () => patch.mutate({ status: "open" }) });
  if (row.status === "open") commands.push({ id: "draft", label: review.makeDraft, run: () => patch.mutate({ status: "draft" }) });
  if (isActive) commands.push({ id: "archive", label: review.archive, run: () => patch.mutate({ status: "archived" }) });
  if (row.status === "archived") commands.push({ id: "reopen", label: review.reopen, run: () => patch.mutate({ status: "open" }) });
  return (
    <div className="review-bar">
      <Badge tone={TONES[row.status]}>{review.statuses[row.status]}</Badge>
      <input
        className="review-subject"
        aria-label={review.subject}
        placeholder={review.untitled}
        readOnly={!isActive}
        value={subject ?? row.subject}
        onChange={(event) => setSubject(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
        }}
        onBlur={() => {
          if (subject !== undefined && subject !== row.subject) patch.mutate({ subject });
        }}
      />
      {isActive && row.outdated && (
        <Button isSmall isPending={update.isPending} onPress={() => update.mutate()}>
          {review.update}
        </Button>
      )}
      {isReview ? (
        <Link className="button button-small" href={addressOf(place)}>
          {review.backToPages}
        </Link>
      ) : (
        <Link className="button button-small" href={addressOf(place, "~/review")}>
          {review.review}
        </Link>
      )}
      {isActive && (
        <>
          <Button isSmall onPress={() => setIsAsking(true)}>
            {review.requestReview}
          </Button>
          <Button isSmall kind="primary" icon="merge" isPending={merge.isPending} onPress={() => merge.mutate()}>
            {review.merge}
          </Button>
        </>
      )}
      <Menu label={review.list} commands={commands} />
      <AskDialog place={place} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </div>
  );
}

function AskDialog({ place, isOpen, onClose }: { place: ChangePlace; isOpen: boolean; onClose: () => void }) {
  const { review, shell } = useMessages();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const ask = useRequestReview(place, onClose);
  const people = useQuery({
    queryKey: ["org", place.organization, "members", "search", text],
    enabled: isOpen,
    queryFn: () => {
      const params = { path: { organizationId: place.organization }, query: { limit: 20, ...(text && { search: text }) } };
      return data(client.GET("/orgs/{organizationId}/members", { params }));
    },
  });
  return (
    <Dialog
      title={review.requestReview}
      isOpen={isOpen}
      isBusy={ask.isPending}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" isDisabled={chosen.length === 0} isPending={ask.isPending} onPress={() => ask.mutate([...chosen])}>
            {review.requestReview}
          </Button>
        </>
      }
    >
      <p className="muted">{review.requestReviewHint}</p>
      <TextField label={review.searchPeople} value={text} onChange={setText} autoFocus />
      <div className="stack" role="group" aria-label={review.people}>
        {(people.data?.items ?? []).map(({ id, user }) => (
          <Checkbox
            key={id}
            isSelected={chosen.includes(user.id)}
            onChange={(isChosen) => setChosen(isChosen ? [...chosen, user.id] : chosen.filter((one) => one !== user.id))}
          >
            {user.displayName} <span className="muted">{user.email}</span>
          </Checkbox>
        ))}
      </div>
    </Dialog>
  );
}
