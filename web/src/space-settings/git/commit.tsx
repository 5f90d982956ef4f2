import { commitAddress } from "./commit-address";
import type { GitSync } from "./queries";

/** The short id of a commit, with a link to it if the hosting service is known. */
export function Commit({ sync, commit }: { sync: GitSync; commit: string }) {
  const address = commitAddress(sync.url, commit, sync.changeRequests.service);
  const text = (
    <code className="settings-code" title={commit}>
      {commit.slice(0, 8)}
    </code>
  );
  if (address === undefined) return text;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
    </a>
  );
}
