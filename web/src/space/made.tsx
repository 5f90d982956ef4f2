import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";

import { ApiError } from "../api/errors";
import { pagesQuery, type Place, type TreePage } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { addressOfSpecs, specQuery } from "../openapi/queries";
import { isRunning } from "../openapi/spec";
import { EmptyState, Icon } from "../ui";
import { specOf } from "./tree";

/** Says that a page is made from an API specification, which it follows. */
export function MadeNotice({ organization, slug }: { organization: string; slug: string | undefined }) {
  const { openapi } = useMessages();
  return (
    <div className="space-made" role="note">
      <Icon name="code" />
      <p>
        {openapi.madeFrom} {slug !== undefined && <Link href={addressOfSpecs(organization, slug)}>{slug}</Link>}. <span className="muted">{openapi.madeFromHint}</span>
      </p>
    </div>
  );
}

/** Says why the pages of a source are not there. They are shown when the specification was read. */
export function AbsentPages({ place, page }: { place: Place; page: Extract<TreePage, { type: "computed" }> }) {
  const { openapi } = useMessages();
  const slug = specOf(page);
  const { organization } = place;
  const found = useQuery({ ...specQuery({ organization, slug: slug ?? "" }), enabled: slug !== undefined });
  const version = found.data?.lastVersion;
  useEffect(() => {
    if (version !== undefined) void queries.invalidateQueries({ queryKey: pagesQuery(place).queryKey, exact: true });
  }, [version, place]);
  if (slug === undefined) return <EmptyState title={openapi.absentHints.other} />;
  if (found.isPending) return null;
  const isMissing = found.error instanceof ApiError && found.error.status === 404;
  const isFailed = found.data !== undefined && !isRunning(found.data) && version === undefined;
  return (
    <EmptyState
      title={`${openapi.absent} ${slug}`}
      action={
        <Link href={isMissing ? addressOfSpecs(organization) : addressOfSpecs(organization, slug)} className="button">
          {isMissing ? openapi.toList : openapi.toSpecification}
        </Link>
      }
    >
      {isMissing ? openapi.absentHints.missing : isFailed ? openapi.absentHints.failed : openapi.absentHints.running}
    </EmptyState>
  );
}
