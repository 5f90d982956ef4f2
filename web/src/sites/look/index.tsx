import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, ErrorState, Loading, notify, Select } from "../../ui";
import { countDifferences, isEqual, rebased } from "../differences";
import { customizationQuery, pathOf, type SiteRef, siteSpacesQuery, variantCustomizationQuery } from "../queries";
import { Brand } from "./brand";
import { Features } from "./features";
import { Announcement, Footer, Header } from "./header";
import { type Customization, LookContext } from "./model";
import { Preview } from "./preview";
import { useSave } from "./save";
import { Colours, Shapes, Texts } from "./styling";

/** The look of a site and of its spaces, with a preview beside it. */
export default function SiteLook({ site }: { site: SiteRef }) {
  const [params] = useSearchParams();
  const siteSpace = params.get("space") ?? undefined;
  const own = useQuery(customizationQuery(site));
  const variant = useQuery({ ...variantCustomizationQuery(site, siteSpace ?? ""), enabled: siteSpace !== undefined });
  const found = siteSpace === undefined ? own : variant;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.isSuccess || !own.isSuccess) return <Loading />;
  return <Editor key={siteSpace ?? ""} site={site} siteSpace={siteSpace} saved={found.data} ofSite={own.data} />;
}

interface EditorProps {
  site: SiteRef;
  siteSpace: string | undefined;
  saved: Customization;
  /** The customization of the whole site. */
  ofSite: Customization;
}

function Editor({ site, siteSpace, saved, ofSite }: EditorProps) {
  const { sites } = useMessages();
  const [draft, setDraft] = useDraft(`${site.site} ${siteSpace ?? ""}`);
  const save = useSave(site, siteSpace);
  const value = useMemo(() => (draft ? rebased(draft, saved) : saved), [draft, saved]);
  const isChanged = draft !== undefined && !isEqual(value, saved);
  useLeaveWarning(isChanged);
  const look = useMemo(
    () => ({
      site,
      value,
      isVariant: siteSpace !== undefined,
      set: (changes: Partial<Customization>) => setDraft((now) => ({ base: saved, value: { ...(now ? rebased(now, saved) : saved), ...changes } })),
    }),
    [site, value, siteSpace, saved],
  );
  const submit = () => {
    if (isChanged) save.mutate({ before: saved, after: value }, { onSuccess: () => setDraft(undefined) });
  };
  return (
    <LookContext value={look}>
      <div className="sites-look">
        <form
          className="sites-look-form"
          onInvalidCapture={({ target }) => showFolded(target)}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
          onKeyDown={(event) => {
            if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
              event.preventDefault();
              event.currentTarget.requestSubmit();
            }
          }}
        >
          <Scope site={site} siteSpace={siteSpace} saved={saved} ofSite={ofSite} isChanged={isChanged} />
          <Brand />
          <Colours />
          <Shapes />
          <Texts />
          <Header />
          <Footer />
          <Announcement />
          <Features />
          <SaveBar isChanged={isChanged} isPending={save.isPending} error={save.error?.message} onDiscard={() => setDraft(undefined)} />
        </form>
        <Preview site={site} siteSpace={siteSpace} saved={saved} value={value} />
      </div>
      <p className="visually-hidden" role="status">
        {isChanged ? sites.unsaved : ""}
      </p>
    </LookContext>
  );
}

/** Opens the folded parts around a field whose value is refused, so that it can be seen. */
function showFolded(target: EventTarget): void {
  for (let at = target instanceof Element ? target.closest("details") : null; at; at = at.parentElement?.closest("details") ?? null) at.open = true;
}

interface SaveBarProps {
  isChanged: boolean;
  isPending: boolean;
  error: string | undefined;
  onDiscard: () => void;
}

function SaveBar({ isChanged, isPending, error, onDiscard }: SaveBarProps) {
  const { sites, shell } = useMessages();
  return (
    <div className="sites-save" data-changed={isChanged || undefined}>
      {error !== undefined && (
        <p className="error-text" role="alert">
          {error}
        </p>
      )}
      <div className="row">
        <span className="grow muted">{isChanged ? sites.unsaved : sites.allSaved}</span>
        {isChanged && (
          <Button onPress={onDiscard} isDisabled={isPending}>
            {sites.discard}
          </Button>
        )}
        <Button kind="primary" type="submit" isPending={isPending} isDisabled={!isChanged}>
          {shell.save}
        </Button>
      </div>
    </div>
  );
}

/** The choice between the look of the whole site and that of one of its spaces. */
function Scope({ site, siteSpace, saved, ofSite, isChanged }: EditorProps & { isChanged: boolean }) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const [, setParams] = useSearchParams();
  const spaces = useQuery(siteSpacesQuery(site));
  const reset = useChange(
    (siteSpaceId: string) => {
      const params = { path: { ...pathOf(site), siteSpaceId } };
      return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", { params }));
    },
    {
      forget: [],
      onDone: (_, id) => {
        cache.setQueryData(variantCustomizationQuery(site, id).queryKey, ofSite);
        notify(sites.overridesRemoved, { tone: "success" });
      },
    },
  );
  const count = siteSpace === undefined ? 0 : countDifferences(ofSite, saved);
  if ((spaces.data?.length ?? 0) < 2 && siteSpace === undefined) return null;
  const options = [{ id: "", label: sites.wholeSite }, ...(spaces.data ?? []).map(({ id, title }) => ({ id, label: title || shell.untitled }))];
  return (
    <div className="stack sites-scope">
      <Select
        label={sites.lookOf}
        options={options}
        value={siteSpace ?? ""}
        isDisabled={isChanged}
        onChange={(id) => setParams(id === "" ? {} : { space: id })}
        description={isChanged ? sites.scopeLocked : siteSpace === undefined ? sites.wholeSiteHint : sites.overrides(count)}
      />
      {siteSpace !== undefined && count > 0 && (
        <div className="row">
          <Button isSmall isDisabled={isChanged} isPending={reset.isPending} onPress={() => reset.mutate(siteSpace)}>
            {sites.removeOverrides}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Changes that are not saved, with the customization in which they were made. */
interface Draft {
  base: Customization;
  value: Customization;
}

/** The changes that are not saved, while the window lives. */
const drafts = new Map<string, Draft>();

/** Returns the changes of a look that are not saved. They stay when another view is opened. */
function useDraft(key: string) {
  const [draft, setDraft] = useState(() => drafts.get(key));
  useEffect(() => {
    if (draft) drafts.set(key, draft);
    else drafts.delete(key);
  }, [key, draft]);
  return [draft, setDraft] as const;
}

/** Asks before the window is closed with changes that are not saved. */
function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isChanged]);
}
