/**
 * Returns the address at which a known hosting service shows a commit: `https://github.com/team/docs.git`
 * becomes `https://github.com/team/docs/commit/…`. Other hosts have no known address.
 */
export function commitAddress(url: string, commit: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[^@/\s]+@([^:/\s]+)(?::\d+)?[:/](.+)$/.exec(url);
  const web = /^https:\/\/(?:[^@/]+@)?([^/\s]+)\/(.+)$/.exec(url);
  const [, host, path] = web ?? ssh ?? [];
  if (host === undefined || path === undefined) return undefined;
  const repository = `https://${host}/${path.replace(/^\/+/, "").replace(/\.git$/, "").replace(/\/+$/, "")}`;
  switch (host) {
    case "github.com":
    case "gitea.com":
    case "codeberg.org":
      return `${repository}/commit/${commit}`;
    case "gitlab.com":
      return `${repository}/-/commit/${commit}`;
    default:
      return undefined;
  }
}
