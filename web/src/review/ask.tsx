import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "../api/client";
import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { type Chosen, PersonPicker } from "../people/person-picker";
import { Avatar, Button, Dialog, IconButton, TextField } from "../ui";
import { type ChangePlace, useRequestReview, useUnrequest } from "./actions";
import { documentOf, plainOf } from "./plain";
import { askedQuery, MAX_SUBJECT } from "./queries";

/** Asks people for a review, with the subject and the description that they read. */
export function AskDialog({ place, row, onClose }: { place: ChangePlace; row: Schemas["ChangeRequest"]; onClose: () => void }) {
  const { review, shell } = useMessages();
  const plain = plainOf((row.description?.nodes ?? []) as JsonNode[]);
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [subject, setSubject] = useState(row.subject);
  const [description, setDescription] = useState(plain ?? "");
  const asked = useQuery(askedQuery(place));
  const ask = useRequestReview(place, onClose);
  const unrequest = useUnrequest(place);
  const send = () =>
    ask.mutate({
      users: chosen.map(({ id }) => id),
      ...(subject.trim() !== row.subject && { subject: subject.trim() }),
      ...(plain !== undefined && description.trim() !== plain && { description: documentOf(description) }),
    });
  const before = asked.data ?? [];
  return (
    <Dialog
      title={review.requestReview}
      isOpen
      isBusy={ask.isPending}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" isDisabled={chosen.length === 0} isPending={ask.isPending} onPress={send}>
            {review.requestReview}
          </Button>
        </>
      }
    >
      <p className="muted">{review.requestReviewHint}</p>
      <PersonPicker
        organization={place.organization}
        label={review.people}
        without={[...before, ...chosen].map(({ id }) => id)}
        onChoose={(person) => setChosen([...chosen, person])}
      />
      {before.length + chosen.length > 0 && (
        <ul className="review-chosen" aria-label={review.reviewers}>
          {chosen.map(({ id, name }) => (
            <li key={id}>
              <Avatar name={name} />
              <span className="grow">{name}</span>
              <IconButton icon="close" label={review.withoutPerson(name)} onPress={() => setChosen(chosen.filter((one) => one.id !== id))} />
            </li>
          ))}
          {before.map(({ id, displayName, photoURL }) => (
            <li key={id}>
              <Avatar name={displayName} url={photoURL} />
              <span className="grow">
                {displayName} <span className="muted">{review.wasAsked}</span>
              </span>
              <IconButton icon="close" label={review.withoutPerson(displayName)} onPress={() => unrequest.mutate(id)} />
            </li>
          ))}
        </ul>
      )}
      <TextField label={review.subject} maxLength={MAX_SUBJECT} value={subject} onChange={setSubject} />
      {plain !== undefined && <TextField label={review.description} value={description} onChange={setDescription} isMultiline rows={3} />}
    </Dialog>
  );
}
