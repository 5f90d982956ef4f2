import { commitAddress } from "./commit-address";

/** The short id of a commit, with a link to it if the hosting service is known. */
export function Commit({ url, commit }: { url: string; commit: string }) {
  const address = commitAddress(url, commit);
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
