import type { Schemas } from "../../api/client";
import type { GitSync, SetGitSync } from "./queries";

type CredentialsKind = Schemas["GitSyncCredentialsKind"];

/** The fields of the form of a synchronisation. */
export interface Values {
  url: string;
  ref: string;
  directory: string;
  /** The kind of the credentials; `kept` leaves the stored ones. */
  credentials: CredentialsKind | "kept";
  token: string;
  username: string;
  password: string;
  privateKey: string;
  hostKeys: string;
  direction: Schemas["GitSyncDirection"];
  initialDirection: Schemas["GitSyncInitialDirection"];
  /** Seconds, or `NaN` for an empty field. */
  polling: number;
  message: string;
  rewritten: Schemas["GitSyncRewrittenHistory"];
  isSigned: boolean;
  /** Names of branches, one a line. */
  branches: string;
  export: Schemas["GitSyncChangeRequestExport"];
  prefix: string;
  service: Schemas["GitSyncHostingService"] | "auto";
  apiUrl: string;
}

/** Returns the fields of a synchronisation, or those of a new one. */
export function valuesOf(sync: GitSync | null): Values {
  return {
    url: sync?.url ?? "",
    ref: (sync?.ref ?? "main").replace(/^refs\/heads\//, ""),
    directory: sync?.projectDirectory ?? "",
    credentials: sync ? "kept" : "token",
    token: "",
    username: "",
    password: "",
    privateKey: "",
    hostKeys: sync?.credentials.hostKeys ?? "",
    direction: sync?.direction ?? "both",
    initialDirection: sync?.initialDirection ?? "import",
    polling: sync?.pollingInterval ?? 300,
    message: sync?.commitMessage ?? "{change_request.subject}",
    rewritten: sync?.rewrittenHistory ?? "merge",
    isSigned: sync?.signingKey !== undefined,
    branches: (sync?.changeRequests.import ?? []).join("\n"),
    export: sync?.changeRequests.export ?? "none",
    prefix: sync?.changeRequests.branchPrefix ?? "bindery/",
    service: sync?.changeRequests.service ?? "auto",
    apiUrl: sync?.changeRequests.apiUrl ?? "",
  };
}

/** True if an address is one of SSH: `ssh://git@host/path` or `git@host:path`. */
export function isSsh(url: string): boolean {
  return /^ssh:\/\//i.test(url.trim()) || /^[^/\s:]+@[^/\s:]+:/.test(url.trim());
}

/** Returns the credentials of a form; nothing leaves the stored ones. */
function credentialsOf(values: Values): Schemas["SetGitSyncCredentials"] | undefined {
  const { credentials: kind, token, username, password, privateKey, hostKeys } = values;
  switch (kind) {
    case "kept":
      return undefined;
    case "none":
      return { kind };
    case "token":
      return { kind, ...(token.trim() && { token: token.trim() }) };
    case "basic":
      return { kind, ...(username && { username }), ...(password && { password }) };
    case "ssh":
      return { kind, ...(privateKey.trim() && { privateKey }), ...(hostKeys.trim() && { hostKeys: hostKeys.trim() }) };
  }
}

/** Returns the request that saves the fields of a form. */
export function bodyOf(values: Values): SetGitSync {
  const credentials = credentialsOf(values);
  const lines = values.branches.split("\n").map((line) => line.trim());
  return {
    url: values.url.trim(),
    ref: values.ref.trim(),
    projectDirectory: values.directory.trim(),
    direction: values.direction,
    initialDirection: values.initialDirection,
    ...(credentials && { credentials }),
    ...(Number.isFinite(values.polling) && { pollingInterval: values.polling }),
    commitMessage: values.message,
    rewrittenHistory: values.rewritten,
    signCommits: values.isSigned,
    changeRequests: {
      import: lines.filter((line) => line !== ""),
      export: values.export,
      branchPrefix: values.prefix.trim(),
      ...(values.service !== "auto" && { service: values.service }),
      ...(values.apiUrl.trim() && { apiUrl: values.apiUrl.trim() }),
    },
  };
}
