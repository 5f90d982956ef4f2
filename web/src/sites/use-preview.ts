import type { UseMutationResult } from "@tanstack/react-query";

import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { previewAddress, type SiteRef } from "./queries";

/**
 * Returns a change that opens the preview of a site in a window of its own, as members see it, or
 * as a visitor with claims, which are JSON. Call `start` of the result when a button is pressed.
 */
export function usePreview(site: SiteRef): { start: (claims?: string) => void; state: UseMutationResult<void, Error, { view: Window | null; claims?: string }> } {
  const { sites } = useMessages();
  const state = useChange(
    async ({ view, claims }: { view: Window | null; claims?: string }) => {
      try {
        const options = claims === undefined ? {} : { claims: JSON.stringify(JSON.parse(claims)) };
        const address = await previewAddress(site, options);
        if (view) view.location.replace(address);
        else location.assign(address);
      } catch (error) {
        view?.close();
        throw error instanceof SyntaxError ? new Error(sites.notJson(error.message)) : error;
      }
    },
    { forget: [], isQuiet: true },
  );
  const start = (claims?: string) => {
    // The window opens at once, because browsers refuse windows that open after a wait.
    const view = window.open("about:blank", "_blank");
    if (view) view.opener = null;
    state.mutate({ view, ...(claims !== undefined && { claims }) });
  };
  return { start, state };
}
