import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";

import { keyOfSpecs, type SpecRef } from "./queries";

/** The address that reads a specification again when it is called. */
export interface Hook {
  enabled: boolean;
  url?: string;
  /** The token that calls carry. Only the answer that creates the hook has it. */
  token?: string;
  createdAt?: string;
}

/** Returns the command that calls a hook. */
export function commandOf(url: string, token: string | undefined): string {
  return `curl -X POST -H "X-Bindery-Token: ${token ?? "TOKEN"}" ${url}`;
}

function keyOf({ organization, slug }: SpecRef) {
  return [...keyOfSpecs(organization), "hook-token", slug] as const;
}

/** Keeps the token of a hook, which the server shows only when it is new, or forgets it. */
export function rememberToken(cache: QueryClient, ref: SpecRef, token: string | undefined): void {
  if (token === undefined) cache.removeQueries({ queryKey: keyOf(ref) });
  else cache.setQueryData(keyOf(ref), token);
}

/** Returns the token of a hook that was made in this window a short time ago. */
export function useToken(ref: SpecRef): string | undefined {
  return useQuery<string>({ queryKey: keyOf(ref), queryFn: skipToken }).data;
}
