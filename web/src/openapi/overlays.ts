import { titleOfText } from "./spec";

/** Maximum number of overlays of a specification. */
export const MAX_OVERLAYS = 10;

/** The place from which an overlay is read, or its text. */
export type OverlaySource = { url: string } | { text: string };

/** An overlay: a document that changes a description when it is read. */
export interface Overlay {
  source: OverlaySource;
}

/** The ways to give an overlay. */
export const OVERLAY_WAYS = ["url", "text"] as const;
export type OverlayWay = (typeof OVERLAY_WAYS)[number];

/** An overlay that is being edited. It keeps what was given in the other way. */
export interface OverlayDraft {
  /** Distinguishes the draft from the others while they are moved. */
  id: number;
  way: OverlayWay;
  url: string;
  text: string;
}

/** Returns an overlay as a draft, or a new draft. */
export function draftOf(id: number, overlay?: Overlay): OverlayDraft {
  const source = overlay?.source ?? { url: "" };
  return "url" in source ? { id, way: "url", url: source.url, text: "" } : { id, way: "text", url: "", text: source.text };
}

/** Returns the overlays of a request. */
export function overlaysOf(drafts: readonly OverlayDraft[]): Overlay[] {
  return drafts.map(({ way, url, text }) => ({ source: way === "url" ? { url: url.trim() } : { text } }));
}

/** Returns `true` if drafts differ from the overlays that are saved. */
export function isChanged(drafts: readonly OverlayDraft[], saved: readonly Overlay[]): boolean {
  return JSON.stringify(overlaysOf(drafts)) !== JSON.stringify(overlaysOf(saved.map((overlay, at) => draftOf(at, overlay))));
}

/** Returns drafts with one of them in another place. */
export function moved(drafts: readonly OverlayDraft[], from: number, to: number): OverlayDraft[] {
  const result = [...drafts];
  result.splice(to, 0, ...result.splice(from, 1));
  return result;
}

/** Returns `true` if nothing is given yet. */
export function isEmpty({ way, url, text }: OverlayDraft): boolean {
  return (way === "url" ? url : text).trim() === "";
}

/** Returns the name of an overlay: its address, or the title that its text states. Empty if there is none. */
export function nameOf({ way, url, text }: OverlayDraft): string {
  return way === "url" ? url.trim() : titleOfText(text);
}

/** Returns the position in a place such as `/overlays/1/source/url`; undefined if it names no overlay. */
export function positionIn(place: string): number | undefined {
  const found = /^\/overlays\/(\d+)(\/|$)/.exec(place)?.[1];
  return found === undefined ? undefined : Number(found);
}
