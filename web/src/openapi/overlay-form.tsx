import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Form } from "../sites/parts";
import { refusalOf } from "../space-settings/refusal";
import { Button, notify } from "../ui";
import { OverlayRow } from "./overlay-row";
import { isEmpty, MAX_OVERLAYS, moved, type Overlay, type OverlayDraft, overlaysOf, positionIn } from "./overlays";
import { keyOfSpecs, overlaysQuery, setOverlays, specQuery, type SpecRef } from "./queries";
import { type Drafts, useDrafts } from "./use-drafts";

/** The overlays of a specification with what changes them. They are saved together. */
export function OverlayForm({ specRef, saved }: { specRef: SpecRef; saved: readonly Overlay[] }) {
  const { openapi } = useMessages();
  const drafts = useDrafts(saved);
  const { list, focus } = useFocus();
  const [hasTried, setHasTried] = useState(false);
  const save = useSave(specRef, drafts);
  const refusal = refusalOf(save.error);
  const refusedId = save.variables?.[positionIn(refusal?.place ?? "") ?? -1]?.id;
  const refused = refusal && drafts.list.find(({ id }) => id === refusedId);
  const openField = ({ id }: OverlayDraft) => {
    drafts.setOpen(id, true);
    focus(fieldOf(id));
  };
  useEffect(() => {
    if (refused) openField(refused);
    // Only a new refusal moves the focus.
  }, [save.error]);
  const submit = () => {
    const empty = drafts.list.find(isEmpty);
    setHasTried(empty !== undefined);
    if (empty === undefined) save.mutate(drafts.list);
    else openField(empty);
  };
  const errorOf = (draft: OverlayDraft) => {
    if (hasTried && isEmpty(draft)) return draft.way === "url" ? openapi.overlays.noAddress : openapi.noText;
    return draft === refused ? refusal?.reason : undefined;
  };
  const reset = () => {
    if (save.isError) save.reset();
  };
  return (
    <Form onSubmit={submit}>
      <div ref={list} className="stack">
        <Rows drafts={drafts} errorOf={errorOf} focus={focus} onOpen={openField} onChange={reset} />
        {refusal !== undefined && refused === undefined && (
          <p className="error-text" role="alert">
            {refusal.reason}
          </p>
        )}
        <Actions
          drafts={drafts}
          isSaving={save.isPending}
          onAdd={() => {
            reset();
            focus(fieldOf(drafts.add()));
          }}
          onDiscard={() => {
            reset();
            setHasTried(false);
            drafts.discard();
          }}
        />
      </div>
    </Form>
  );
}

/** The address or text of an overlay, as a selector. */
const fieldOf = (id: number) => `[data-overlay="${id}"] :is(input[type="url"], textarea)`;

/** Moves the focus to a part of a list after it was rendered. */
function useFocus() {
  const list = useRef<HTMLDivElement>(null);
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    if (target === undefined) return;
    list.current?.querySelector<HTMLElement>(target)?.focus();
    setTarget(undefined);
  }, [target]);
  return { list, focus: setTarget };
}

/** Returns what saves overlays, after which the server reads the specification again. */
function useSave(specRef: SpecRef, drafts: Drafts) {
  const { overlays: texts } = useMessages().openapi;
  const cache = useQueryClient();
  return useChange((sent: readonly OverlayDraft[]) => setOverlays(specRef, overlaysOf(sent)), {
    forget: [specQuery(specRef).queryKey, [...keyOfSpecs(specRef.organization), "list"]],
    isQuiet: true,
    onDone: (overlays, sent) => {
      cache.setQueryData(overlaysQuery(specRef).queryKey, overlays);
      // What was changed while they were being saved stays.
      if (drafts.list === sent) drafts.discard();
      notify(texts.saved, { tone: "success" });
    },
  });
}

interface RowsProps {
  drafts: Drafts;
  errorOf: (draft: OverlayDraft) => string | undefined;
  focus: (selector: string) => void;
  onOpen: (draft: OverlayDraft) => void;
  onChange: () => void;
}

function Rows({ drafts, errorOf, focus, onOpen, onChange }: RowsProps) {
  const { overlays: texts } = useMessages().openapi;
  const [said, setSaid] = useState("");
  const { list } = drafts;
  const set = (next: readonly OverlayDraft[]) => {
    drafts.set(next);
    onChange();
  };
  const move = (from: number, to: number, { id }: OverlayDraft) => {
    set(moved(list, from, to));
    setSaid(texts.moved(to + 1, list.length));
    // A button at the end of the list is disabled, so that the other one gets the focus.
    const isUp = to < from ? to > 0 : to === list.length - 1;
    focus(`[data-overlay="${id}"] [data-way="${isUp ? "up" : "down"}"] button`);
  };
  const remove = (at: number) => {
    set(list.toSpliced(at, 1));
    setSaid(texts.removed(at + 1));
    focus("[data-add] button");
  };
  return (
    <>
      {list.length > 0 && (
        <ol className="list openapi-overlays" aria-label={texts.title}>
          {list.map((draft, at) => (
            <OverlayRow
              key={draft.id}
              draft={draft}
              position={at}
              count={list.length}
              isOpen={drafts.isOpen(draft.id)}
              error={errorOf(draft)}
              onChange={(next) => set(list.with(at, next))}
              onMove={(to) => move(at, to, draft)}
              onOpen={() => onOpen(draft)}
              onClose={() => drafts.setOpen(draft.id, false)}
              onRemove={() => remove(at)}
            />
          ))}
        </ol>
      )}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

function Actions({ drafts, isSaving, onAdd, onDiscard }: { drafts: Drafts; isSaving: boolean; onAdd: () => void; onDiscard: () => void }) {
  const { openapi } = useMessages();
  const isFull = drafts.list.length >= MAX_OVERLAYS;
  return (
    <div className="row" data-add>
      <Button icon="plus" isDisabled={isFull} onPress={onAdd}>
        {openapi.overlays.add}
      </Button>
      {isFull && <span className="hint-text">{openapi.overlays.full(MAX_OVERLAYS)}</span>}
      <span className="grow" />
      {drafts.isChanged && (
        <>
          <Button onPress={onDiscard}>{openapi.overlays.discard}</Button>
          <Button kind="primary" type="submit" isPending={isSaving}>
            {openapi.saveSource}
          </Button>
        </>
      )}
    </div>
  );
}
