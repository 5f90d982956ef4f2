import { pageQuery } from "../api/place";
import { queries } from "../api/queries";
import { mergeLines } from "./merge-lines";
import type { Surface, SurfaceOptions } from "./surface";

/** Returns the Markdown of a page without the heading that repeats its title. */
export function bodyOf(markdown: string): string {
  return markdown.replace(/^# .*(?:\n\n?|$)/, "");
}

/** Returns the surface of a page as Markdown. Changes of others are merged line by line. */
export function markdownSurface(base: string, { read, replace }: SurfaceOptions): Surface {
  let known = base;
  return {
    read,
    get base() {
      return known;
    },
    saved(text) {
      known = text;
    },
    async compare(place, page) {
      const found = (await queries.fetchQuery({ ...pageQuery(place, page, "markdown"), staleTime: 0 })) as { markdown?: string };
      const theirs = bodyOf(found.markdown ?? "");
      if (theirs === known) return false;
      const merged = mergeLines(known, read(), theirs);
      replace(merged.text, merged.hasConflicts);
      known = theirs;
      return true;
    },
  };
}
