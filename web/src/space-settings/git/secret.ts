import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";

import type { GitSync } from "./queries";

function keyOf(spaceId: string): readonly string[] {
  return ["git-secret", spaceId];
}

/** Keeps the secret of a webhook, which the server shows only when it is new. */
export function rememberSecret(cache: QueryClient, spaceId: string, { webhookSecret }: GitSync): void {
  if (webhookSecret !== undefined) cache.setQueryData(keyOf(spaceId), webhookSecret);
}

/** Returns the secret of the webhook of a space if it was made in this window a short time ago. */
export function useSecret(spaceId: string): string | undefined {
  return useQuery<string>({ queryKey: keyOf(spaceId), queryFn: skipToken }).data;
}
