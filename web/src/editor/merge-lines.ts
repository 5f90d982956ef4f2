/** The lines of a text that a change replaced, and what stands there instead. */
interface Region {
  from: number;
  to: number;
  lines: string[];
}

function regionOf(before: string[], after: string[]): Region {
  let from = 0;
  const most = Math.min(before.length, after.length);
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, lines: after.slice(from, after.length - end) };
}

/** Applies two changes of a text to it. If both are in the same lines, `mine` stays. */
export function mergeLines(base: string, mine: string, theirs: string): { text: string; hasConflicts: boolean } {
  if (theirs === base || mine === theirs) return { text: mine, hasConflicts: false };
  if (mine === base) return { text: theirs, hasConflicts: false };
  const before = base.split("\n");
  const [own, other] = [regionOf(before, mine.split("\n")), regionOf(before, theirs.split("\n"))];
  const isApart = own.to < other.from || other.to < own.from;
  if (!isApart) return { text: mine, hasConflicts: true };
  const [first, second] = own.from < other.from ? [own, other] : [other, own];
  const lines = [...before.slice(0, first.from), ...first.lines, ...before.slice(first.to, second.from), ...second.lines, ...before.slice(second.to)];
  return { text: lines.join("\n"), hasConflicts: false };
}
