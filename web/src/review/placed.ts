import type { Schemas } from "../api/client";
import { type Block, type Difference, keysOf } from "./difference";

type Comment = Schemas["Comment"];

/** The comments of a changed page that are shown with its changes. */
export interface PageComments {
  /** Those on the page as a whole. */
  whole: readonly Comment[];
  /** Those on its changed blocks, by the keys of the blocks. */
  byKey: ReadonlyMap<string, readonly Comment[]>;
  count: number;
}

export const NO_COMMENTS: PageComments = { whole: [], byKey: new Map(), count: 0 };

/** Returns the comments of each changed page that have a place among its changes, by the ids of pages. */
export function placedComments(differences: readonly Difference[], comments: readonly Comment[]): ReadonlyMap<string, PageComments> {
  const placed = new Map<string, PageComments>();
  const targeted = comments.filter(({ target }) => target.gone === undefined && target.review === undefined);
  if (targeted.length === 0) return placed;
  for (const { kind, id, change, document } of differences) {
    if (kind !== "page" || change === "deleted") continue;
    const keys = new Set((document?.blocks ?? []).flatMap(keysOf));
    const whole: Comment[] = [];
    const byKey = new Map<string, Comment[]>();
    for (const comment of targeted.filter(({ target }) => target.page?.id === id)) {
      const node = comment.target.node?.id;
      if (node === undefined) whole.push(comment);
      else if (keys.has(node)) byKey.set(node, [...(byKey.get(node) ?? []), comment]);
    }
    const count = whole.length + [...byKey.values()].flat().length;
    if (count > 0) placed.set(id, { whole, byKey, count });
  }
  return placed;
}

function idsOf({ whole, byKey }: PageComments): string[] {
  return [...whole, ...[...byKey.values()].flat()].map(({ id }) => id);
}

/** Returns the ids of comments that have a place among changes. */
export function placedIds(placed: ReadonlyMap<string, PageComments>): ReadonlySet<string> {
  return new Set([...placed.values()].flatMap(idsOf));
}

/** Returns `true` if a comment is among those of a page. */
export function hasComment(comments: PageComments, id: string | undefined): boolean {
  return id !== undefined && idsOf(comments).includes(id);
}

/** Returns the comments on a changed block and on the blocks in it. */
export function commentsOn(block: Block, { byKey }: PageComments): readonly Comment[] {
  if (byKey.size === 0) return NO_COMMENTS.whole;
  return [...new Set(keysOf(block).flatMap((key) => byKey.get(key) ?? []))];
}
