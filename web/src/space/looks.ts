import type { Schemas } from "../api/client";

/** The layout and the cover of a page. */
export interface Looks {
  layout: Schemas["RevisionPageLayoutOptions"];
  cover: Schemas["RevisionPageDocumentCover"] | undefined;
}

/** Returns the parts that differ, so that what others change at the same time stays, or undefined if none does. */
export function lookChange(before: Looks, after: Looks): Schemas["PageLookChange"] | undefined {
  const known: Record<string, unknown> = before.layout;
  const layout = Object.fromEntries(Object.entries(after.layout).filter(([name, value]) => known[name] !== value));
  const hasLayout = Object.keys(layout).length > 0;
  const hasCover = JSON.stringify(before.cover) !== JSON.stringify(after.cover);
  if (!hasLayout && !hasCover) return undefined;
  return { ...(hasLayout && { layout }), ...(hasCover && { cover: after.cover ?? null }) };
}
