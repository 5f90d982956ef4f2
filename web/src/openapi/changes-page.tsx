import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo } from "react";
import { Input, SearchField } from "react-aria-components";
import { Link, useLocation, useSearch } from "wouter";

import { useLanguage, useMessages } from "../i18n";
import { useCopy } from "../people/copy-field";
import { More } from "../people/more";
import { useChange } from "../people/use-change";
import { Title } from "../shell/title";
import { Button, EmptyState, ErrorState, Icon, Loading, useNumbers } from "../ui";
import { Choice } from "../ui/choice";
import { ChangeCounts } from "./change-counts";
import { ChangeList } from "./change-list";
import { type ChangeFilter, type Changes, countsOf, feedOf, filterOf, groupsOf, LEVELS, markdownOf, searchOf } from "./changes";
import { addressOfSpecs, changeCountsQuery, changesQuery, listChanges, specQuery, type SpecRef, versionQuery } from "./queries";

interface Props {
  specRef: SpecRef;
  version: string;
}

/** The changes of a version of a specification since the version before it. The filter is part of the address. */
export function ChangesPage({ specRef, version }: Props) {
  const { shell, openapi } = useMessages();
  const texts = openapi.changes;
  const counts = useQuery(changeCountsQuery(specRef, version));
  const found = counts.data;
  const about = useAbout(specRef, version, found);
  return (
    <div className="page">
      <Title>{`${texts.title} · ${specRef.slug} · ${shell.specifications}`}</Title>
      <p className="sites-up">
        <Link href={addressOfSpecs(specRef.organization)}>{shell.specifications}</Link> / <Link href={addressOfSpecs(specRef.organization, specRef.slug)}>{specRef.slug}</Link>
      </p>
      <header className="page-header sites-head">
        <h1>{texts.title}</h1>
        {found?.state === "complete" && countOf(found) > 0 && <Copy specRef={specRef} version={version} found={found} about={about} />}
      </header>
      <p className="muted openapi-about">{about}</p>
      {counts.isPending && <Loading />}
      {counts.isError && found === undefined && <ErrorState error={counts.error} onRetry={() => void counts.refetch()} />}
      <div role="status">
        {found !== undefined && found.state !== "complete" && <EmptyState title={texts[found.state]}>{texts.hints[found.state]}</EmptyState>}
        {found?.state === "complete" && countOf(found) === 0 && <EmptyState title={texts.none}>{texts.hints.none}</EmptyState>}
      </div>
      {found?.state === "complete" && countOf(found) > 0 && <Found specRef={specRef} version={version} found={found} />}
      {found !== undefined && <Feed specRef={specRef} />}
    </div>
  );
}

function countOf({ breaking, warnings, infos }: Changes): number {
  return breaking + warnings + infos;
}

/** Returns a sentence about the two versions that are compared; empty until it is known. */
function useAbout(specRef: SpecRef, version: string, found: Changes | undefined): string {
  const { changes: texts } = useMessages().openapi;
  const { language } = useLanguage();
  const now = useQuery(versionQuery(specRef, version)).data?.createdAt;
  const before = useQuery({ ...versionQuery(specRef, found?.from ?? ""), enabled: found?.from !== undefined });
  const format = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const dateOf = (at: string) => format.format(new Date(at));
  if (now === undefined || found === undefined || before.isLoading) return "";
  const date = before.data?.createdAt;
  return date === undefined ? texts.versionOf(dateOf(now)) : texts.compared(dateOf(now), dateOf(date));
}

/** Returns the filter of the address and a function that changes it. */
function useFilter(): [ChangeFilter, (changed: Partial<ChangeFilter>) => void] {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const filter = useMemo(() => filterOf(search), [search]);
  return [filter, (changed) => navigate(location + searchOf({ ...filter, ...changed }), { replace: true })];
}

/** The changes with their filter. */
function Found({ specRef, version, found }: Props & { found: Changes }) {
  const { changes: texts } = useMessages().openapi;
  const [filter, ask] = useFilter();
  const { level, text } = filter;
  const asked = useDeferredValue(text.trim());
  const listed = useInfiniteQuery(changesQuery(specRef, version, { level, text: asked }));
  const pages = listed.data?.pages;
  const groups = useMemo(() => groupsOf((pages ?? []).map(({ items }) => items)), [pages]);
  const isFiltered = level !== "all" || text !== "";
  return (
    <>
      <Filter filter={filter} found={found} onChange={ask} />
      <div className="row openapi-count">
        <p className="hint-text" role="status">
          {pages?.[0] !== undefined && (isFiltered ? texts.changeCount(pages[0].count) : <ChangeCounts counts={countsOf(found)} />)}
        </p>
        {level !== "all" && <p className="hint-text">{texts.meanings[level]}</p>}
        {isFiltered && (
          <Button kind="quiet" isSmall icon="close" onPress={() => ask({ level: "all", text: "" })}>
            {texts.clear}
          </Button>
        )}
      </div>
      {found.isCut && <p className="sites-note">{texts.cut}</p>}
      {listed.isPending && <Loading />}
      {listed.isError && !listed.data && <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />}
      {listed.isSuccess && groups.length === 0 && <EmptyState title={texts.noMatch}>{texts.noMatchHint}</EmptyState>}
      <ChangeList groups={groups} />
      <More {...listed} />
    </>
  );
}

function Filter({ filter, found, onChange }: { filter: ChangeFilter; found: Changes; onChange: (changed: Partial<ChangeFilter>) => void }) {
  const { changes: texts } = useMessages().openapi;
  const number = useNumbers();
  const counts = { all: countOf(found), ...countsOf(found) };
  const options = (["all", ...LEVELS] as const).map((id) => ({ id, label: `${texts.filters[id]} ${number(counts[id])}` }));
  return (
    <div className="openapi-filter" role="search" aria-label={texts.title}>
      <Choice label={texts.level} options={options} value={filter.level} onChange={(level) => onChange({ level })} />
      <SearchField className="people-search" aria-label={texts.search} value={filter.text} onChange={(text) => onChange({ text })}>
        <Input className="input" placeholder={texts.search} />
      </SearchField>
    </div>
  );
}

/** Copies the changes that the filter selects, also those that are not shown yet. */
function Copy({ specRef, version, found, about }: Props & { found: Changes; about: string }) {
  const { changes: texts } = useMessages().openapi;
  const copy = useCopy();
  const [filter] = useFilter();
  const level = filter.level;
  const text = filter.text.trim();
  const lines = [
    about,
    ...(level === "all" ? [] : [`${texts.level}: ${texts.filters[level]}`]),
    ...(text === "" ? [] : [`${texts.search}: ${text}`]),
    ...(found.isCut ? [texts.cut] : []),
  ];
  const words = { title: `${specRef.slug}: ${texts.title}`, about: lines, levels: texts.levels, whole: texts.whole, webhook: texts.webhook };
  const read = useChange(() => listChanges(specRef, version, { level, text }), {
    forget: [],
    onDone: (items) => copy(markdownOf(groupsOf([items]), words)),
  });
  return (
    <Button icon="copy" isPending={read.isPending} onPress={() => read.mutate()}>
      {texts.copy}
    </Button>
  );
}

/** The address of the feed of a public specification. */
function Feed({ specRef }: { specRef: SpecRef }) {
  const { changes: texts } = useMessages().openapi;
  const spec = useQuery(specQuery(specRef)).data;
  if (spec === undefined) return null;
  const feed = spec.visibility === "public" ? feedOf(spec) : undefined;
  return (
    <p className="muted openapi-feed">
      {feed === undefined ? (
        texts.noFeed
      ) : (
        <>
          <a href={feed} target="_blank" rel="noreferrer" type="application/atom+xml">
            {texts.feed}
            <Icon name="out" />
          </a>
          {texts.feedHint}
        </>
      )}
    </p>
  );
}
