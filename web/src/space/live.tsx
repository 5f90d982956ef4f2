import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Tooltip, TooltipTrigger } from "react-aria-components";

import type { Place } from "../api/place";
import { queries, spaceQuery } from "../api/queries";
import type { PageSaver } from "../editor";
import { draftKey, findDrafts } from "../editor/drafts";
import { useMessages } from "../i18n";
import { Badge, Button, notify } from "../ui";

/** Writing the main content itself, page by page. */
export interface Live {
  /** True while the open page is written live. */
  isOn: boolean;
  /** True if the open page can be written live. */
  isOffered: boolean;
  /** True while the last changes are saved. */
  isEnding: boolean;
  /** The place in which the open page is written. */
  place: Place;
  /** The saver of the open page. */
  saver: RefObject<PageSaver | null>;
  begin: () => void;
  /** Saves at once. The page is written live until that has succeeded. */
  end: () => Promise<void>;
}

/**
 * Returns whether a page of the main content is written live, and the functions that begin and end it.
 * Another page begins in the normal way, so that nobody publishes by mistake. Words of an earlier visit
 * that are not saved stay in the browser until the page is written live again, which a notice offers.
 */
export function useLive(place: Place, page: string | undefined, canEdit: boolean): Live {
  const { space } = useMessages();
  const isLocked = useQuery(spaceQuery(place.space)).data?.editMode === "locked";
  const [isEnding, setIsEnding] = useState(false);
  const saver = useRef<PageSaver>(null);
  const isMain = place.changeRequest === undefined && page !== undefined;
  const shown = isMain ? `${place.space}/${page}` : undefined;
  const [visit, setVisit] = useState({ shown, isLive: false });
  // An effect would show the next page in the way of this one for a moment, in which it publishes.
  if (visit.shown !== shown) setVisit({ shown, isLive: false });
  const isOn = visit.isLive && visit.shown === shown;
  const isOffered = isMain && canEdit && !isLocked;
  const livePlace = useMemo((): Place => ({ ...place, live: true }), [place]);

  // A notice may be pressed, and a request may end, when another page is open.
  const set = useCallback((isLive: boolean) => setVisit((now) => (now.shown === shown ? { shown, isLive } : now)), [shown]);
  const begin = useCallback(() => set(true), [set]);

  useEffect(() => {
    if (isOn) notify(space.liveBegun);
  }, [isOn, space]);

  useEffect(() => {
    if (page === undefined || isOn || !isMain || (!isOffered && !isLocked)) return;
    let isCurrent = true;
    void findDrafts(draftKey(livePlace, page)).then(({ length }) => {
      if (isCurrent && length > 0) notify(space.liveDraft, isOffered ? { action: { label: space.editLive, run: begin } } : {});
    });
    return () => {
      isCurrent = false;
    };
  }, [page, isOn, isMain, isOffered, isLocked, livePlace, begin, space]);

  const end = async () => {
    setIsEnding(true);
    const isSaved = (await saver.current?.flush()) ?? true;
    setIsEnding(false);
    if (!isSaved) notify(space.liveKept, { tone: "danger" });
    if (saver.current?.isWaiting) return;
    set(false);
    void queries.invalidateQueries({ queryKey: ["space", place.space] });
  };

  return { isOn, isOffered, isEnding, place: isOn ? livePlace : place, saver, begin, end };
}

/** The button that begins to write the main content itself, or ends it. */
export function LiveControl({ live: { isOn, isOffered, isEnding, begin, end } }: { live: Live }) {
  const { space } = useMessages();
  if (!isOn && !isOffered) return null;
  return (
    <>
      {isOn && <Badge tone="warning">{space.live}</Badge>}
      <TooltipTrigger delay={500}>
        {/* Two names, so that the button needs no state that is pressed. */}
        <Button isSmall kind={isOn ? "primary" : "quiet"} isPending={isEnding} onPress={isOn ? () => void end() : begin}>
          {isOn ? space.liveDone : space.editLive}
        </Button>
        <Tooltip className="tooltip" offset={4}>
          {isOn ? space.liveDoneHint : space.editLiveHint}
        </Tooltip>
      </TooltipTrigger>
    </>
  );
}
