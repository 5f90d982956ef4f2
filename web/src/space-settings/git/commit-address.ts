import type { Schemas } from "../../api/client";

type Service = Schemas["GitSyncHostingService"];

/** The services of hosts that are known by their names. */
const SERVICES: Record<string, Service> = { "github.com": "github", "gitlab.com": "gitlab", "gitea.com": "gitea", "codeberg.org": "gitea" };

/**
 * Returns the address at which a hosting service shows a commit: `https://github.com/team/docs.git`
 * becomes `https://github.com/team/docs/commit/…`. A host with an unknown service has no such address.
 */
export function commitAddress(url: string, commit: string, service?: Service): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[^@/\s]+@([^:/\s]+)(?::\d+)?[:/](.+)$/.exec(url);
  const web = /^(https?):\/\/(?:[^@/]+@)?([^/\s]+)\/(.+)$/.exec(url);
  const [scheme, host, path] = web ? web.slice(1) : ["https", ...(ssh?.slice(1) ?? [])];
  if (host === undefined || path === undefined) return undefined;
  const repository = `${scheme}://${host}/${path.replace(/^\/+/, "").replace(/\/+$/, "").replace(/\.git$/, "")}`;
  switch (service ?? SERVICES[host]) {
    case "github":
    case "gitea":
      return `${repository}/commit/${commit}`;
    case "gitlab":
      return `${repository}/-/commit/${commit}`;
    case undefined:
      return undefined;
  }
}
