import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, changeLook, type Place, type TreePage } from "../api/place";
import { useMessages } from "../i18n";
import { Loading, Switch, TextField } from "../ui";
import { EmojiPicker } from "./emoji-picker";
import { useMistake } from "./expression-check";
import { IconPicker } from "./icon-picker";
import { type Looks, lookChange } from "./looks";
import { LooksOptions } from "./looks-options";
import { pageBacklinksQuery } from "./queries";
import { updated } from "./tree";
import type { Writing } from "./writing";

type Fields = Schemas["RevisionPageUpdate"];

interface Props {
  place: Place;
  page: TreePage;
  canEdit: boolean;
  writing: Writing;
}

/** The options of a page. Each takes effect when its field is left. */
export function PageOptions({ place, page, canEdit, writing }: Props) {
  const { space } = useMessages();
  const [reasons, setReasons] = useState<Partial<Record<keyof Fields, string>>>({});
  const save = async <K extends keyof Fields>(name: K, value: Fields[K]) => {
    setReasons((known) => ({ ...known, [name]: undefined }));
    if ((page as Fields)[name] === value || (value === "" && !(page as Fields)[name])) return true;
    const done = await writing.write({
      changes: [{ operation: "update_page", page: page.id, [name]: value }],
      onRefused: (reason) => setReasons((known) => ({ ...known, [name]: reason })),
      preview: (pages) => updated(pages, page.id, { [name]: value }),
    });
    return done !== undefined;
  };
  if (page.type === "link") return <LinkOptions page={page} canEdit={canEdit} writing={writing} />;
  if (page.type === "computed") return null;
  const isDocument = page.type === "document";
  const text = { isDisabled: !canEdit, page: page.id };
  return (
    <div className="space-options">
      <p className="space-options-of">{page.title || space.untitled}</p>
      <div className="row">
        <EmojiPicker emoji={page.emoji} isDisabled={!canEdit} onChange={(emoji) => void save("emoji", emoji)} />
        <IconPicker icon={page.icon} isDisabled={!canEdit} onChange={(icon) => void save("icon", icon)} />
      </div>
      <OptionField {...text} label={space.slug} value={page.slug} hint={space.slugHint} error={reasons.slug} onSave={(value) => save("slug", value)} />
      {isDocument && (
        <OptionField
          {...text}
          label={space.description}
          value={page.description ?? ""}
          isMultiline
          error={reasons.description}
          onSave={(value) => save("description", value)}
        />
      )}
      <OptionField
        {...text}
        label={space.linkTitle}
        value={page.linkTitle ?? ""}
        hint={space.linkTitleHint}
        error={reasons.linkTitle}
        onSave={(value) => save("linkTitle", value)}
      />
      <fieldset className="space-option-group">
        <legend>{space.visibility}</legend>
        <Switch isSelected={page.hidden} isDisabled={!canEdit} onChange={(value) => void save("hidden", value)}>
          {space.hiddenOption}
        </Switch>
        <Switch isSelected={page.noIndex} isDisabled={!canEdit} onChange={(value) => void save("noIndex", value)}>
          {space.noIndex}
        </Switch>
        <Switch isSelected={page.noRobotsIndex} isDisabled={!canEdit} onChange={(value) => void save("noRobotsIndex", value)}>
          {space.noRobotsIndex}
        </Switch>
        <ConditionField {...text} space={place.space} value={page.condition ?? ""} error={reasons.condition} onSave={(value) => save("condition", value)} />
      </fieldset>
      {isDocument && <LooksOfPage page={page} canEdit={canEdit} writing={writing} />}
      <Backlinks place={place} page={page.id} />
    </div>
  );
}

/** The options of a link: the address that it leads to. */
function LinkOptions({ page, canEdit, writing }: Pick<Props, "canEdit" | "writing"> & { page: Extract<TreePage, { type: "link" }> }) {
  const { space } = useMessages();
  const [reason, setReason] = useState<string>();
  const save = async (url: string) => {
    setReason(undefined);
    const done = await writing.run({
      send: (place, kept) => changeLook(place, page.id, { target: { kind: "url", url } }, kept),
      onRefused: setReason,
    });
    return done !== undefined;
  };
  return (
    <div className="space-options">
      <p className="space-options-of">{page.title || space.untitled}</p>
      <OptionField
        label={space.linkTarget}
        page={page.id}
        value={page.target.kind === "url" ? page.target.url : ""}
        hint={space.linkTargetHint}
        error={reason}
        isDisabled={!canEdit}
        onSave={save}
      />
    </div>
  );
}

interface OptionFieldProps {
  label: string;
  /** The page to which the value belongs. */
  page: string;
  value: string;
  hint?: string;
  error?: string | undefined;
  isDisabled: boolean;
  isMultiline?: boolean;
  isCode?: boolean;
  onWrite?: (value: string) => void;
  /** Saves the value and returns false if it is refused, so that the field keeps it. */
  onSave: (value: string) => Promise<boolean>;
}

/** A field whose value is saved when it is left, or by Enter. */
function OptionField({ label, value, hint, error, isDisabled, isMultiline, isCode, onWrite, onSave }: OptionFieldProps) {
  const [draft, setDraft] = useState<string>();
  const shown = draft ?? value;
  useEffect(() => onWrite?.(shown), [onWrite, shown]);
  const commit = async () => {
    if (draft === undefined) return;
    if (await onSave(draft.trim())) setDraft(undefined);
  };
  return (
    <div className={isCode ? "space-option-code" : undefined}>
      <TextField
        label={label}
        value={shown}
        description={hint}
        error={error}
        isReadOnly={isDisabled}
        isMultiline={isMultiline ?? false}
        rows={2}
        onChange={setDraft}
        onBlur={() => void commit()}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (!isMultiline || event.ctrlKey || event.metaKey)) void commit();
          else if (event.key === "Escape" && draft !== undefined) setDraft(undefined);
          else event.continuePropagation();
        }}
      />
    </div>
  );
}

interface ConditionProps extends Pick<OptionFieldProps, "page" | "value" | "error" | "isDisabled" | "onSave"> {
  space: string;
}

/** The condition of a page, whose mistake is shown while it is written. */
function ConditionField({ space: spaceId, error, ...field }: ConditionProps) {
  const { editor, space } = useMessages();
  const [written, setWritten] = useState(field.value);
  const mistake = useMistake(spaceId, field.isDisabled ? "" : written);
  const shown = error ?? (mistake && editor.mistake(mistake.message, mistake.line, mistake.column));
  return <OptionField {...field} label={space.condition} hint={space.conditionHint} error={shown} isCode onWrite={setWritten} />;
}

interface LooksProps extends Props {
  page: Extract<TreePage, { type: "document" }>;
}

/** The layout and the cover of a page. */
function LooksOfPage({ page, canEdit, writing }: Omit<LooksProps, "place">) {
  const { layout, cover } = page;
  const save = async (looks: Looks) => {
    const change = lookChange({ layout, cover }, looks);
    if (!change) return true;
    const done = await writing.run({
      send: (place, kept) => changeLook(place, page.id, change, kept),
      preview: (pages) => updated(pages, page.id, looks),
    });
    return done !== undefined;
  };
  return <LooksOptions looks={{ layout, cover }} canEdit={canEdit} writing={writing} onSave={save} />;
}

/** The pages that link to a page. */
function Backlinks({ place, page }: { place: Place; page: string }) {
  const { space } = useMessages();
  const found = useQuery(pageBacklinksQuery(place, page));
  const pages = new Map((found.data ?? []).flatMap((one) => (one.kind === "page" ? [[one.page.id, one] as const] : [])));
  return (
    <section>
      <h3>{space.backlinks}</h3>
      {found.isPending && <Loading />}
      {found.isSuccess && pages.size === 0 && <p className="muted">{space.noBacklinks}</p>}
      <ul className="space-backlinks">
        {[...pages.values()].map((one) => (
          <li key={one.page.id}>
            <Link href={addressOf(one.space.id === place.space ? place : { organization: one.organization.id, space: one.space.id }, one.page.id)}>
              {one.page.title || space.untitled}
            </Link>
            {one.space.id !== place.space && <span className="muted"> {one.space.title}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
