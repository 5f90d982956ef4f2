import { useInfiniteQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { Autocomplete, Collection, Input, Label, ListBox, ListBoxItem, ListBoxLoadMoreItem, TextField } from "react-aria-components";
import { Link } from "wouter";

import { ApiError } from "../api/errors";
import { useMessages } from "../i18n";
import { idOf, type Part, type PartKind } from "../openapi/parts";
import { addressOfSpecs, partsQuery, type SpecRef } from "../openapi/queries";
import { ErrorState, Icon, useNumbers } from "../ui";

interface Props {
  specRef: SpecRef;
  kind: PartKind;
  /** The part that is chosen at present, which comes before all others. */
  present?: Part | undefined;
  /** The ids of the parts that are chosen. */
  chosen: readonly string[];
  /** Chooses a part, or removes one of several that are chosen. */
  onChoose: (part: Part) => void;
  onClose: () => void;
}

/** A field that searches the parts of a specification, with the list that arrows move in and Enter chooses from. */
export function PartList({ specRef, kind, present, chosen, onChoose, onClose }: Props) {
  const { editor, openapi, shell } = useMessages();
  const { api } = editor;
  const numbers = useNumbers();
  const label = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [isEnterHeld, setIsEnterHeld] = useState(false);
  const query = useDeferredValue(text.trim());
  const found = useInfiniteQuery(partsQuery(specRef, kind, query));
  const parts = withFirst(found.data?.pages.flatMap(({ items }) => items) ?? [], query === "" && found.data ? present : undefined);
  const count = found.data?.pages[0]?.count ?? 0;
  // The list is that of an earlier text.
  const isStale = query !== text.trim() || found.isPending || found.isPlaceholderData;

  // Enter chooses from the list of the text that was typed before it.
  useEffect(() => {
    if (!isEnterHeld || isStale) return;
    setIsEnterHeld(false);
    const [first] = parts;
    if (first) onChoose(first);
  }, [isEnterHeld, isStale]);
  const hold = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !isStale || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    setIsEnterHeld(true);
  };

  const error = found.data ? null : found.error;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <p>
        {api.notRead(specRef.slug)}{" "}
        <Link href={addressOfSpecs(specRef.organization, specRef.slug)} onClick={onClose}>
          {openapi.toSpecification}
        </Link>
      </p>
    );
  }
  const empty = found.isPending ? shell.loading : text.trim() === "" ? api.none[kind] : api.noMatch(text.trim());
  const retry = () => {
    void found.refetch();
    // The button that has the focus disappears.
    input.current?.focus();
  };
  const choose = (id: string) => {
    const part = parts.find((one) => idOf(one) === id);
    if (part) onChoose(part);
  };
  return (
    <Autocomplete
      inputValue={text}
      onInputChange={(next) => {
        setText(next);
        setIsEnterHeld(false);
      }}
    >
      <TextField className="field" autoFocus>
        <Label id={label}>{api.find[kind]}</Label>
        <Input className="input" ref={input} role="combobox" aria-expanded={error === null} placeholder={api.findBy[kind]} spellCheck="false" onKeyDownCapture={hold} {...(parts.length === 0 && { "aria-activedescendant": "" })} />
      </TextField>
      <p className="api-picker-count" role="status">
        {found.data && !found.isPlaceholderData ? api.count[kind](count, numbers(count)) : ""}
      </p>
      {error && <ErrorState error={error} onRetry={retry} />}
      <div className="api-picker-list" tabIndex={0} role="group" aria-labelledby={label} hidden={error !== null}>
        <ListBox
          aria-label={api.list[kind]}
          selectionMode={kind === "model" ? "multiple" : "single"}
          selectedKeys={chosen}
          escapeKeyBehavior="none"
          renderEmptyState={() => <p className="loading">{empty}</p>}
          onSelectionChange={(keys) => {
            const now = keys === "all" ? [] : [...keys].map(String);
            // The one that is chosen already is removed from the selection, which chooses it again.
            const changed = now.find((id) => !chosen.includes(id)) ?? chosen.find((id) => !now.includes(id));
            if (changed !== undefined) choose(changed);
          }}
        >
          <Collection items={parts.map((part) => ({ id: idOf(part), part }))}>{({ id, part }) => <Option id={id} part={part} />}</Collection>
          {found.hasNextPage && !found.isPlaceholderData && (
            <ListBoxLoadMoreItem isLoading={found.isFetchingNextPage} onLoadMore={() => !found.isFetching && void found.fetchNextPage()}>
              <p className="loading">{shell.loading}</p>
            </ListBoxLoadMoreItem>
          )}
        </ListBox>
      </div>
    </Autocomplete>
  );
}

/** Returns a list that begins with a part, if there is one. */
function withFirst(parts: Part[], first: Part | undefined): Part[] {
  return first === undefined ? parts : [first, ...parts.filter((part) => idOf(part) !== idOf(first))];
}

function Option({ id, part }: { id: string; part: Part }) {
  const { editor } = useMessages();
  if (part.kind === "model") {
    return (
      <ListBoxItem id={id} textValue={part.name} className="api-option api-option-model">
        {({ isSelected }) => (
          <>
            <span className="api-option-title">{part.name}</span>
            <span className="api-option-marks">{isSelected && <Icon name="check" />}</span>
          </>
        )}
      </ListBoxItem>
    );
  }
  const name = part.kind === "operation" ? part.path : part.name;
  const method = part.method.toUpperCase();
  return (
    <ListBoxItem id={id} textValue={`${method} ${name} ${part.title}`} className="api-option">
      {({ isSelected }) => (
        <>
          <span className="api-method" data-method={part.method.toLowerCase()}>
            {method}
          </span>
          <span className="api-option-title">{part.title}</span>
          <span className="api-option-marks">
            {part.deprecated && <span className="api-mark">{editor.api.deprecated}</span>}
            {isSelected && <Icon name="check" />}
          </span>
          <span className="api-option-path">{name}</span>
        </>
      )}
    </ListBoxItem>
  );
}
