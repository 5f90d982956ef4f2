import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";

import { sessionQuery } from "../api/queries";
import type { ChangePlace } from "./actions";
import { type Difference, fingerprint } from "./difference";
import { storeOf } from "./queries";

type Marks = Record<string, string>;

function stored(name: string): Marks {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Marks) : {};
  } catch {
    return {};
  }
}

/** Returns the identity of a changed item within a change request. */
export function idOf({ kind, id }: Difference): string {
  return `${kind}/${id}`;
}

/**
 * Returns which changes the person has marked as seen, and a function that marks them. A mark ends
 * when the change of that item becomes another one. The browser keeps the marks.
 */
export function useSeen(place: ChangePlace, differences: readonly Difference[]) {
  const user = useQuery(sessionQuery).data?.user.id ?? "";
  const name = storeOf(place, `seen.${user}`);
  const [written, setWritten] = useState<{ name: string; marks: Marks }>();
  const marks = useMemo(() => (written?.name === name ? written.marks : stored(name)), [written, name]);
  const prints = useMemo(() => new Map(differences.map((one) => [idOf(one), fingerprint(one)])), [differences]);
  const seen = useMemo(() => new Set([...prints].filter(([id, print]) => marks[id] === print).map(([id]) => id)), [prints, marks]);
  const mark = useCallback(
    (difference: Difference, isSeen: boolean) => {
      const next = { ...stored(name) };
      if (isSeen) next[idOf(difference)] = fingerprint(difference);
      else delete next[idOf(difference)];
      localStorage.setItem(name, JSON.stringify(next));
      setWritten({ name, marks: next });
    },
    [name],
  );
  return { seen, mark };
}
