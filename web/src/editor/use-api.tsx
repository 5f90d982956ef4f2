import type { EditorView } from "prosemirror-view";
import { type ReactNode, useRef, useState } from "react";
import { useLocation } from "wouter";

import { useMessages } from "../i18n";
import type { KnownParts } from "../openapi/known-parts";
import { addressOfSpecs } from "../openapi/queries";
import type { Picked } from "./api-blocks";
import type { JsonNode } from "./document";
import { isApiType, laterApi, whenIdle } from "./later";
import { optional } from "./optional";

const ApiPicker = optional(async () => {
  const [picker] = await Promise.all([import("./api-picker"), laterApi.load()]);
  return picker;
});

interface Api {
  /** Returns the content of a block that shows parts of a specification. */
  box: (json: JsonNode) => HTMLElement[] | undefined;
  pick: (picked: Picked) => void;
  /** Shows the window in which parts are chosen, if it is open. */
  picker: (view: EditorView) => ReactNode;
}

/** Returns what a page needs for blocks that show parts of specifications. `refresh` shows its blocks anew. */
export function useApi(organization: string, isEditable: boolean, refresh: () => void): Api {
  const { editor } = useMessages();
  const [, navigate] = useLocation();
  const [picked, setPicked] = useState<Picked>();
  const parts = useRef<KnownParts>(undefined);

  const known = (): KnownParts | undefined => {
    const { KnownParts } = laterApi.now ?? {};
    if (KnownParts) parts.current ??= new KnownParts({ organization, soon: (work) => void whenIdle(work), onKnown: refresh });
    return parts.current;
  };

  const box = (json: JsonNode) => {
    if (!isApiType(json.type ?? "")) return undefined;
    const found = known();
    if (!found || !laterApi.now) {
      laterApi.load().then(refresh, () => {});
      return undefined;
    }
    return laterApi.now.apiBox(json, {
      texts: editor,
      isEditable,
      parts: found,
      addressOf: (slug) => addressOfSpecs(organization, slug),
      go: navigate,
      onPick: setPicked,
    });
  };

  const picker = (view: EditorView) =>
    picked && (
      <ApiPicker
        view={view}
        organization={organization}
        picked={picked}
        parts={known()}
        onClose={() => setPicked(undefined)}
      />
    );
  return { box, pick: setPicked, picker };
}
