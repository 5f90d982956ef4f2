import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";

import { useLanguage, useMessages } from "../i18n";
import { More } from "../people/more";
import { Part } from "../sites/parts";
import { Badge, ErrorState, Loading, Time } from "../ui";
import { ChangeCounts } from "./change-counts";
import { countsOf } from "./changes";
import { addressOfChanges, changeCountsQuery, type SpecRef, versionsQuery } from "./queries";
import type { Spec } from "./spec";

/** The versions of a specification, each with what changed since the one before it. */
export function Versions({ spec, specRef }: { spec: Spec; specRef: SpecRef }) {
  const { openapi } = useMessages();
  const found = useInfiniteQuery({ ...versionsQuery(specRef, spec.lastVersion), enabled: spec.lastVersion !== undefined });
  const versions = found.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Part title={openapi.versions} hint={openapi.versionsHint}>
      {spec.lastVersion === undefined && <p className="sites-none">{openapi.noVersions}</p>}
      {spec.lastVersion !== undefined && found.isPending && <Loading />}
      {found.isError && !found.data && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {versions.length > 0 && (
        <ul className="list">
          {versions.map(({ id, createdAt }) => (
            <li key={id} className="openapi-version">
              <span className="grow">{createdAt === undefined ? id : <VersionDate at={createdAt} />}</span>
              {id === spec.lastVersion && <Badge tone="success">{openapi.inUse}</Badge>}
              <VersionChanges specRef={specRef} version={id} />
            </li>
          ))}
        </ul>
      )}
      <More {...found} />
    </Part>
  );
}

/** The date of a version and its age. */
function VersionDate({ at }: { at: string }) {
  const { language } = useLanguage();
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(at));
  return (
    <>
      {date}{" "}
      <span className="muted">
        · <Time at={at} />
      </span>
    </>
  );
}

/** What changed in a version, with a link to the list. It is read when it comes into view. */
function VersionChanges({ specRef, version }: { specRef: SpecRef; version: string }) {
  const { changes: texts } = useMessages().openapi;
  const element = useRef<HTMLSpanElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  const found = useQuery({ ...changeCountsQuery(specRef, version), enabled: isSeen });
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver((entries) => setIsSeen(entries.some(({ isIntersecting }) => isIntersecting)), { rootMargin: "200px" });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  const state = found.data?.state;
  return (
    <span ref={element} className="openapi-changed">
      {found.isError && found.data === undefined && <span className="muted">{texts.unknown}</span>}
      {state === "first" && <span className="muted">{texts.first}</span>}
      {found.data !== undefined && state !== "first" && (
        <Link href={addressOfChanges(specRef, version)}>{state === "complete" ? <ChangeCounts counts={countsOf(found.data)} /> : texts[state === "failed" ? "failed" : "pending"]}</Link>
      )}
    </span>
  );
}
