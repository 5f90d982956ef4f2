import "./suggestions.css";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";

import { request } from "../api/client";
import { ApiError } from "../api/errors";
import type { Place } from "../api/place";
import { useMessages } from "../i18n";
import { colourOf } from "../people/colour";
import { Avatar, Button, Confirm, IconButton, notify } from "../ui";
import type { Region } from "./prose-view";
import { type Decision, type Shown, shownText, type Suggestion, SuggestionList } from "./suggestion-list";
import { goToMark, placeMarks, showMarks, suggestionMarks } from "./suggestion-marks";
import type { PageWriter } from "./writer";

interface Props {
  region: Region;
  writer: PageWriter;
  place: Place;
  page: string;
  /** True if the text is the person's own copy, whose suggestions can be withdrawn. */
  isOwn: boolean;
}

/** Maximum number of suggestions that the server lists. */
const MOST = 1_000;

const NONE: Shown = { items: [], current: undefined };

/** Returns the operations on the suggestions on a page. */
function operationsOf({ space, changeRequest = "" }: Place, page: string) {
  const base = `/bindery/spaces/${space}/change-requests/${changeRequest}/suggestions`;
  return {
    async read() {
      const found = await request(`${base}?pageId=${page}&limit=${MOST}`, {});
      return ((await found.json()) as { items: Suggestion[] }).items;
    },
    async decide(decision: Decision, suggestions: readonly string[]) {
      const body = JSON.stringify({ suggestions });
      await request(`${base}/${decision}`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    },
  };
}

/** The suggestions on a page: marks in its text, and a bar in which they are accepted and refused. */
export default function Suggestions({ region, writer, place, page, isOwn }: Props) {
  const { suggestions: texts } = useMessages().editor;
  const [{ items, current }, setShown] = useState(NONE);
  const [said, setSaid] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const bar = useRef<HTMLElement>(null);
  const list = useRef<SuggestionList>(null);
  const latest = useRef(texts);
  useEffect(() => {
    latest.current = texts;
  });
  const { view } = region;

  useEffect(() => {
    const { read, decide } = operationsOf(place, page);
    const made = new SuggestionList({
      isOwn,
      positions: writer.positions,
      isBusy: () => view.composing,
      read,
      decide,
      onShow(shown) {
        // The bar goes with the last suggestion, and the focus must not go with it.
        if (shown.items.length === 0 && bar.current?.contains(document.activeElement)) view.focus();
        setShown(shown);
        showMarks(view, shown);
      },
      onPlace: (marks) => placeMarks(view, marks),
      onGo: (id) => goToMark(view, id),
      onDecided(decision, left) {
        const done = decision === "accept" ? latest.current.accepted : isOwn ? latest.current.withdrawn : latest.current.refused;
        setSaid(`${done} ${latest.current.left(left)}`);
      },
      onFailed(error) {
        const isChanged = error instanceof ApiError && error.status === 404;
        notify(isChanged ? latest.current.changed : latest.current.failed(error instanceof Error ? error.message : String(error)), { tone: "danger" });
      },
    });
    const marks = suggestionMarks({
      isOwn,
      onChoose(id, isAsked) {
        made.choose(id);
        if (isAsked) requestAnimationFrame(() => bar.current?.focus());
      },
      onDecide: (decision, id) => void made.decide(decision, [id]),
    });
    const remove = region.add(marks);
    list.current = made;
    writer.suggestions = made;
    made.changed();
    return () => {
      made.end();
      writer.suggestions = undefined;
      remove();
    };
  }, [region, writer, place.space, place.changeRequest, page, isOwn]);

  const decide = (decision: Decision) => {
    if (current) void list.current?.decide(decision, [current.id]);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isOnButton = event.target !== bar.current;
    const actions: Record<string, () => void> = {
      ...(!isOwn && { a: () => decide("accept"), ...(!isOnButton && { Enter: () => decide("accept") }) }),
      r: () => decide("refuse"),
      Delete: () => decide("refuse"),
      ArrowDown: () => list.current?.step(1),
      ArrowRight: () => list.current?.step(1),
      ArrowUp: () => list.current?.step(-1),
      ArrowLeft: () => list.current?.step(-1),
      Escape: () => view.focus(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const at = current ? items.indexOf(current) + 1 : 0;
  return (
    <>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      {isOwn && items.length === 0 && <p className="suggestions">{texts.hint}</p>}
      {items.length > 0 && (
        <section ref={bar} className="suggestions" aria-label={texts.title} tabIndex={-1} onKeyDownCapture={press}>
          <div className="suggestions-row">
            <span>{at > 0 ? texts.place(at, items.length) : texts.count(items.length)}</span>
            <IconButton icon="up" label={texts.previous} onPress={() => list.current?.step(-1)} />
            <IconButton icon="down" label={texts.next} onPress={() => list.current?.step(1)} />
            <span className="grow" />
            <Button isSmall kind="quiet" onPress={() => setIsAsking(true)}>
              {isOwn ? texts.withdrawAll : texts.refuseAll}
            </Button>
            {!isOwn && (
              <Button isSmall kind="quiet" onPress={() => void list.current?.decideAll("accept")}>
                {texts.acceptAll}
              </Button>
            )}
          </div>
          {current && (
            <div className="suggestions-row">
              <Difference suggestion={current} />
              <Button isSmall onPress={() => decide("refuse")}>
                {isOwn ? texts.withdraw : texts.refuse}
                <kbd className="keys" aria-hidden="true">
                  R
                </kbd>
              </Button>
              {!isOwn && (
                <Button isSmall kind="primary" onPress={() => decide("accept")}>
                  {texts.accept}
                  <kbd className="keys" aria-hidden="true">
                    A
                  </kbd>
                </Button>
              )}
            </div>
          )}
        </section>
      )}
      <Confirm
        title={isOwn ? texts.withdrawAll : texts.refuseAll}
        action={isOwn ? texts.withdrawAll : texts.refuseAll}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false);
          void list.current?.decideAll("refuse").then(() => view.focus());
        }}
      >
        {texts.allAsked(items.length)}
      </Confirm>
    </>
  );
}

/** The author of a suggestion, and its texts. */
function Difference({ suggestion: { author, kind, before, after } }: { suggestion: Suggestion }) {
  const { suggestions: texts } = useMessages().editor;
  const name = author?.displayName ?? texts.nobody;
  const label = texts.by(name, texts.kinds[kind]);
  return (
    <p className="suggestions-difference" aria-live="polite" data-colour={colourOf(author?.id ?? "")}>
      <span className="suggestions-by">
        <span className="suggestions-author">
          <Avatar name={name} url={author?.photoURL} />
        </span>
        {label}
        <span className="visually-hidden">: </span>
      </span>
      {kind === "format" ? (
        <span className="suggestion-format">{after || texts.kinds.format}</span>
      ) : (
        <>
          {before && <del className="suggestion-removed">{shownText(before)}</del>}
          {before && after && " → "}
          {after && <ins className="suggestion-added">{shownText(after)}</ins>}
        </>
      )}
    </p>
  );
}
