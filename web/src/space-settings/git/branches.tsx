import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { addressOf, changeRequestQuery, type Place } from "../../api/place";
import { useMessages } from "../../i18n";
import { Part } from "../../sites/parts";
import { Badge, ErrorState, Loading, Time } from "../../ui";
import { branchesQuery } from "./queries";

/** Returns an address that a server gave if a browser may follow it. */
function webAddress(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}

/** The branches that agree with change requests. */
export function Branches({ place }: { place: Place }) {
  const { git } = useMessages().spaceSettings;
  const found = useQuery(branchesQuery(place.space));
  return (
    <Part title={git.branches}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <p className="muted">{git.noBranches}</p>}
      {found.data && found.data.length > 0 && (
        <ul className="list">
          {found.data.map(({ ref, changeRequest, createdHere, pullRequest, previewUrl, error, updatedAt }) => {
            const pull = webAddress(pullRequest?.url);
            const preview = webAddress(previewUrl);
            return (
              <li key={ref} className="settings-run">
                <span className="settings-code">{ref.replace(/^refs\/heads\//, "")}</span>
                {createdHere && <Badge>{git.madeHere}</Badge>}
                <span className="grow" />
                {changeRequest !== undefined && <ChangeLink place={place} id={changeRequest} />}
                {pullRequest && pull !== undefined && (
                  <a href={pull} target="_blank" rel="noreferrer">
                    {git.pullRequest(pullRequest.number)}
                  </a>
                )}
                {preview !== undefined && (
                  <a href={preview} target="_blank" rel="noreferrer">
                    {git.preview}
                  </a>
                )}
                <span className="muted">
                  <Time at={updatedAt} />
                </span>
                {error && <p className="settings-full error-text">{error.message}</p>}
              </li>
            );
          })}
        </ul>
      )}
    </Part>
  );
}

/** A link to the change request with an id; its address has its number. */
function ChangeLink({ place, id }: { place: Place; id: string }) {
  const { space } = useMessages();
  const found = useQuery(changeRequestQuery(place.space, id));
  if (!found.data) return null;
  const { number, subject } = found.data;
  return (
    <Link href={addressOf({ ...place, changeRequest: String(number) }, "~/review")} className="people-break">
      {space.changeRequest(number, subject)}
    </Link>
  );
}
