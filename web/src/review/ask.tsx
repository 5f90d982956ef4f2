import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "../api/client";
import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { foundMembersQuery } from "../people/queries";
import { Avatar, Button, Checkbox, Dialog, IconButton, TextField } from "../ui";
import { type ChangePlace, useRequestReview, useUnrequest } from "./actions";
import { documentOf, plainOf } from "./plain";
import { askedQuery } from "./queries";

interface Person {
  id: string;
  name: string;
}

/** Asks people for a review, with the subject and the description that they read. */
export function AskDialog({ place, row, onClose }: { place: ChangePlace; row: Schemas["ChangeRequest"]; onClose: () => void }) {
  const { review, shell } = useMessages();
  const plain = plainOf((row.description?.nodes ?? []) as JsonNode[]);
  const [chosen, setChosen] = useState<readonly Person[]>([]);
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
      <PeopleSearch
        organization={place.organization}
        without={before.map(({ id }) => id)}
        chosen={chosen}
        onToggle={(person, isChosen) => setChosen(isChosen ? [...chosen, person] : chosen.filter(({ id }) => id !== person.id))}
      />
      {before.length > 0 && (
        <ul className="review-chosen" aria-label={review.reviewers}>
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
      <TextField label={review.subject} value={subject} onChange={setSubject} />
      {plain !== undefined && <TextField label={review.description} value={description} onChange={setDescription} isMultiline rows={3} />}
    </Dialog>
  );
}

/** Maximum number of people that a search offers at once. */
const MAX_OFFERED = 6;

interface SearchProps {
  organization: string;
  /** The ids of those who are not offered. */
  without: readonly string[];
  chosen: readonly Person[];
  onToggle: (person: Person, isChosen: boolean) => void;
}

/** A field that finds people by their names, with boxes to choose several of them. */
function PeopleSearch({ organization, without, chosen, onToggle }: SearchProps) {
  const { review } = useMessages();
  const [text, setText] = useState("");
  const found = useQuery({ ...foundMembersQuery(organization, text.trim()), placeholderData: keepPreviousData });
  const ids = new Set(chosen.map(({ id }) => id));
  const offered = (found.data ?? []).map(({ user }) => ({ id: user.id, name: user.displayName })).filter(({ id }) => !ids.has(id) && !without.includes(id));
  return (
    <div className="review-search">
      <TextField label={review.people} placeholder={review.searchPeople} value={text} onChange={setText} autoFocus />
      <div role="group" aria-label={review.people}>
        {[...chosen, ...offered.slice(0, MAX_OFFERED)].map((person) => (
          <Checkbox key={person.id} isSelected={ids.has(person.id)} onChange={(isChosen) => onToggle(person, isChosen)}>
            <Avatar name={person.name} />
            {person.name}
          </Checkbox>
        ))}
      </div>
      {found.isSuccess && offered.length === 0 && chosen.length === 0 && <p className="muted">{review.nobodyFound}</p>}
    </div>
  );
}
