import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useLayoutEffect, useRef, useState } from "react";
import { Label, TextArea, TextField } from "react-aria-components";

import { useMessages } from "../i18n";
import { foundMembersQuery } from "../people/queries";
import { Avatar, Button } from "../ui";
import { type Mentioned, mentionAt, toMarkdown } from "./mentions";

interface Props {
  organization: string;
  label: string;
  /** The name of the button that sends. */
  action: string;
  /** The name under which the browser keeps a text that was not sent. */
  draft?: string;
  initial?: { text: string; people: readonly Mentioned[] };
  isBusy: boolean;
  hasFocus?: boolean;
  onSend: (markdown: string) => Promise<unknown>;
  onCancel?: () => void;
}

interface Draft {
  text: string;
  people: readonly Mentioned[];
}

/** Maximum number of people that are offered for a mention. */
const MAX_OFFERED = 6;

const EMPTY: Draft = { text: "", people: [] };

function storedDraft(name: string | undefined): Draft {
  try {
    const found = name === undefined ? undefined : (JSON.parse(localStorage.getItem(name) ?? "null") as Draft | null);
    return typeof found?.text === "string" && Array.isArray(found.people) ? found : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** A field for a comment. An at sign finds people, Ctrl+Enter sends; a text that was not sent is kept. */
export function Write({ organization, label, action, draft, initial, isBusy, hasFocus, onSend, onCancel }: Props) {
  const { review, shell } = useMessages();
  const [{ text, people }, setDraft] = useState<Draft>(() => initial ?? storedDraft(draft));
  const field = useRef<HTMLTextAreaElement>(null);
  const caretAfter = useRef<number>(undefined);
  const [caret, setCaret] = useState<number>();
  const [active, setActive] = useState(0);
  const list = useId();
  const mention = caret === undefined ? undefined : mentionAt(text, caret);
  const found = useQuery({ ...foundMembersQuery(organization, mention?.query ?? ""), enabled: mention !== undefined, placeholderData: keepPreviousData });
  // The answer to an earlier query is shown until the next one arrives.
  const typed = mention?.query.toLocaleLowerCase() ?? "";
  const offered =
    mention === undefined
      ? []
      : (found.data ?? [])
          .map(({ user }) => ({ id: user.id, name: user.displayName, detail: user.email ?? "" }))
          .filter(({ name, detail }) => `${name} ${detail}`.toLocaleLowerCase().includes(typed))
          .slice(0, MAX_OFFERED);

  const change = (next: Draft) => {
    setDraft(next);
    if (draft === undefined) return;
    if (next.text.trim()) localStorage.setItem(draft, JSON.stringify(next));
    else localStorage.removeItem(draft);
  };
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    field.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });
  const choose = ({ id, name }: Mentioned) => {
    if (!mention || caret === undefined) return;
    const before = `${text.slice(0, mention.start)}@${name} `;
    caretAfter.current = before.length;
    change({ text: before + text.slice(caret), people: [...people.filter((one) => one.id !== id), { id, name }] });
    setCaret(undefined);
    field.current?.focus();
  };
  const send = () => {
    if (!text.trim() || isBusy) return;
    onSend(toMarkdown(text.trim(), people)).then(
      () => change(EMPTY),
      () => field.current?.focus(),
    );
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    } else if (offered.length > 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      setActive((active + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length);
    } else if (offered.length > 0 && (event.key === "Enter" || event.key === "Tab")) {
      event.preventDefault();
      const person = offered[Math.min(active, offered.length - 1)];
      if (person) choose(person);
    } else if (event.key === "Escape" && (offered.length > 0 || onCancel)) {
      event.preventDefault();
      if (offered.length > 0) setCaret(undefined);
      else onCancel?.();
    }
  };
  return (
    <form
      className="review-write"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextField className="field" value={text} onChange={(value) => change({ text: value, people })} autoFocus={hasFocus ?? false} isReadOnly={isBusy}>
        <Label>{label}</Label>
        <TextArea
          ref={field}
          className="input"
          rows={3}
          placeholder={review.commentHint}
          aria-autocomplete="list"
          aria-controls={offered.length > 0 ? list : undefined}
          aria-activedescendant={offered.length > 0 ? `${list}-${Math.min(active, offered.length - 1)}` : undefined}
          onKeyDown={onKeyDown}
          onSelect={({ currentTarget }) => {
            setActive(0);
            setCaret(currentTarget.selectionStart === currentTarget.selectionEnd ? currentTarget.selectionStart : undefined);
          }}
          onBlur={() => setCaret(undefined)}
        />
      </TextField>
      {offered.length > 0 && (
        <ul className="review-mentions" id={list} role="listbox" aria-label={review.people}>
          {offered.map((person, at) => (
            <li
              key={person.id}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === Math.min(active, offered.length - 1)}
              className="menu-item"
              onPointerDown={(event) => {
                event.preventDefault();
                choose(person);
              }}
            >
              <Avatar name={person.name} />
              <span className="grow">{person.name}</span>
              <span className="muted">{person.detail}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <Button type="submit" isSmall kind="primary" isDisabled={!text.trim()} isPending={isBusy}>
          {action}
        </Button>
        {onCancel && (
          <Button isSmall onPress={onCancel}>
            {shell.cancel}
          </Button>
        )}
      </div>
    </form>
  );
}
