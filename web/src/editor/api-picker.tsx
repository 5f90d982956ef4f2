import "./api.css";

import { useInfiniteQuery } from "@tanstack/react-query";
import type { EditorView } from "prosemirror-view";
import { useEffect, useState } from "react";
import { Link } from "wouter";

import { useMessages } from "../i18n";
import { isPart, type KnownParts } from "../openapi/known-parts";
import { nameOf, type Part, type PartKind } from "../openapi/parts";
import { addressOfSpecs, specsQuery } from "../openapi/queries";
import type { Spec } from "../openapi/spec";
import { Button, Dialog, ErrorState, Icon, Loading, Select } from "../ui";
import { type ApiBlock, apiBlockOf, apiJson, type Picked, positionOf, type Shown, shownOf } from "./api-blocks";
import { PartList } from "./api-part-list";
import { placeBlock } from "./blocks";
import { schema } from "./schema";

interface Props {
  view: EditorView;
  organization: string;
  picked: Picked;
  /** What is known of the parts that the page shows. */
  parts: KnownParts | undefined;
  onClose: () => void;
}

/** The specification that was chosen last, which is probably wanted for the next block too. */
let lastSpec: string | undefined;

/** The window that chooses parts of a specification for a block. */
export default function ApiPicker({ view, organization, picked, parts, onClose }: Props) {
  const { editor } = useMessages();
  const { kind, json } = picked;
  const before = json && apiBlockOf(json);
  const close = () => {
    onClose();
    requestAnimationFrame(() => !view.isDestroyed && view.focus());
  };
  const apply = (block: ApiBlock) => {
    close();
    if (!view.editable) return;
    const { state } = view;
    const next = apiJson(block, json);
    if (json === undefined) {
      view.dispatch(placeBlock(state.tr, schema.node("atom", { json: next })).scrollIntoView());
    } else {
      const at = positionOf(state.doc, json);
      if (at !== undefined) view.dispatch(state.tr.setNodeAttribute(at, "json", next));
    }
  };
  return (
    <Dialog title={editor.api[json === undefined ? "insert" : "change"][kind]} isOpen onClose={close}>
      <Specs organization={organization} kind={kind} before={before} parts={parts} onApply={apply} onClose={close} />
    </Dialog>
  );
}

interface SpecsProps {
  organization: string;
  kind: PartKind;
  before: ApiBlock | undefined;
  parts: Props["parts"];
  onApply: (block: ApiBlock) => void;
  onClose: () => void;
}

/** Returns the specification that is probably meant. */
function probable(specs: readonly Spec[], before: ApiBlock | undefined): string | undefined {
  const has = (slug: string | undefined) => specs.some((spec) => spec.slug === slug);
  if (has(before?.spec)) return before?.spec;
  const ofAddress = before?.address && specs.find(({ sourceURL }) => sourceURL === before.address);
  if (ofAddress) return ofAddress.slug;
  if (specs.length === 1) return specs[0]?.slug;
  return has(lastSpec) ? lastSpec : undefined;
}

/** The choice of a specification with its parts below. */
function Specs({ organization, kind, before, parts: known, onApply, onClose }: SpecsProps) {
  const { editor, openapi } = useMessages();
  const found = useInfiniteQuery(specsQuery(organization));
  const { hasNextPage, isFetching, isError, fetchNextPage } = found;
  const [chosen, setChosen] = useState<string>();
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const specs = found.data?.pages.flatMap(({ items }) => items) ?? [];
  const isAll = found.isSuccess && !hasNextPage;

  if (found.isError && !found.data) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!isAll) return <Loading />;
  if (specs.length === 0) {
    return (
      <p>
        {editor.api.noSpecs}{" "}
        <Link href={addressOfSpecs(organization)} onClick={onClose}>
          {openapi.toList}
        </Link>
      </p>
    );
  }
  const slug = chosen ?? probable(specs, before);
  const apply = (parts: readonly Shown[]) => {
    lastSpec = slug;
    onApply({ kind, parts, ...(slug !== undefined && { spec: slug }) });
  };
  const isAbsent = before?.spec !== undefined && specs.every((spec) => spec.slug !== before.spec);
  return (
    <div className="api-picker">
      {isAbsent && <p className="api-picker-absent">{editor.api.noSpec(before.spec ?? "")}</p>}
      <Select
        label={editor.api.specification}
        options={specs.map((spec) => ({ id: spec.slug, label: spec.slug }))}
        value={slug ?? null}
        onChange={setChosen}
        autoFocus={slug === undefined}
      />
      {slug !== undefined && (
        <Parts
          key={slug}
          organization={organization}
          slug={slug}
          kind={kind}
          present={before?.spec === slug || before?.spec === undefined ? (before?.parts ?? []) : []}
          known={known}
          onApply={apply}
          onClose={onClose}
        />
      )}
    </div>
  );
}

interface PartsProps {
  organization: string;
  slug: string;
  kind: PartKind;
  /** What the block shows at present. */
  present: readonly Shown[];
  known: Props["parts"];
  onApply: (parts: readonly Shown[]) => void;
  onClose: () => void;
}

/** The parts of a specification. The first operation or webhook that is chosen closes the window. */
function Parts({ organization, slug, kind, present, known, onApply, onClose }: PartsProps) {
  const { editor, shell } = useMessages();
  const [names, setNames] = useState(() => present.map(({ name }) => name));
  const specRef = { organization, slug };
  if (kind !== "model") {
    const choose = (part: Part) => {
      known?.learn(slug, part);
      onApply([shownOf(part)]);
    };
    const [first] = present;
    const now = first && known?.find(slug, kind, first.name, first.id);
    return <PartList specRef={specRef} kind={kind} present={isPart(now) ? now : undefined} chosen={present.map(({ id }) => id)} onChoose={choose} onClose={onClose} />;
  }
  const toggle = (name: string) => setNames((now) => (now.includes(name) ? now.filter((one) => one !== name) : [...now, name]));
  const choose = (part: Part) => {
    known?.learn(slug, part);
    toggle(nameOf(part));
  };
  return (
    <>
      <PartList specRef={specRef} kind={kind} chosen={names} onChoose={choose} onClose={onClose} />
      {names.length > 0 && (
        <ul className="api-chosen" aria-label={editor.api.chosen}>
          {names.map((name) => (
            <li key={name}>
              <button type="button" aria-label={editor.api.remove(name)} onClick={() => toggle(name)}>
                {name}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <span className="grow" />
        <Button onPress={onClose}>{shell.cancel}</Button>
        <Button kind="primary" isDisabled={names.length === 0} onPress={() => onApply(names.map((name) => ({ id: name, name })))}>
          {present.length > 0 ? editor.api.applyIt : editor.api.insertIt}
        </Button>
      </div>
    </>
  );
}
