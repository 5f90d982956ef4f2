import { useQuery } from "@tanstack/react-query";

import { useMessages } from "../i18n";
import { Part } from "../sites/parts";
import { ErrorState, Loading } from "../ui";
import { OverlayForm } from "./overlay-form";
import { draftOf, nameOf, type Overlay } from "./overlays";
import { overlaysQuery, type SpecRef } from "./queries";

/** The overlays of a specification. Readers see them if there are any. */
export function Overlays({ specRef, canEdit }: { specRef: SpecRef; canEdit: boolean }) {
  const { overlays: texts } = useMessages().openapi;
  const found = useQuery(overlaysQuery(specRef));
  if (!canEdit && (found.data ?? []).length === 0) return null;
  return (
    <Part title={texts.title} hint={texts.hint}>
      {found.isPending && <Loading />}
      {found.isError && !found.data && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data !== undefined && (canEdit ? <OverlayForm specRef={specRef} saved={found.data} /> : <OverlayList overlays={found.data} />)}
    </Part>
  );
}

function OverlayList({ overlays }: { overlays: readonly Overlay[] }) {
  const { overlays: texts, uploadedText } = useMessages().openapi;
  return (
    <ol className="list openapi-overlays" aria-label={texts.title}>
      {overlays.map((overlay, at) => (
        <li key={at}>
          <span className="muted">{at + 1}.</span>
          <span className="grow sites-address">{nameOf(draftOf(at, overlay)) || uploadedText}</span>
        </li>
      ))}
    </ol>
  );
}
