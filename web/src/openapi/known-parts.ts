import { queries } from "../api/queries";
import { ApiError } from "../api/errors";
import { idOf, MAX_LISTED, type Part, type PartKind, type PartList, readNamed } from "./parts";
import { keyOfSpecs, listParts, specQuery, type SpecRef } from "./queries";

/** Milliseconds for which an answer is used again. */
const FRESH = 60_000;

/** The reason why nothing is known of the parts of a specification. */
export type Problem = "no-spec" | "not-read" | "unreachable";

/** A part; `null` if the specification has no such part, `undefined` until that is known. */
export type Known = Part | null | undefined | Problem;

/** Returns whether a part is known, and exists. */
export function isPart(known: Known): known is Part {
  return typeof known === "object" && known !== null;
}

interface Entry {
  parts: Map<string, Part>;
  /** The names of the parts that were asked for, and those to be asked for. */
  asked: Set<string>;
  answered: Set<string>;
  wanted: Set<string>;
  problem?: Problem;
}

interface Options {
  organization: string;
  /** Calls a function soon, once all blocks of a page have asked. */
  soon: (work: () => void) => void;
  onKnown: () => void;
}

/** The parts of specifications that a page shows. Those of one specification are read together. */
export class KnownParts {
  private readonly entries = new Map<string, Entry>();
  private isPlanned = false;

  constructor(private readonly options: Options) {}

  /** Returns what is known of a part, and reads it if need be. `name` is its path or its name. */
  find(slug: string, kind: PartKind, name: string, id: string): Known {
    const entry = this.entry(slug, kind);
    const part = entry.parts.get(id);
    if (part !== undefined) return part;
    if (entry.problem !== undefined) return entry.problem;
    if (entry.answered.has(name)) return null;
    if (!entry.asked.has(name)) {
      entry.wanted.add(name);
      this.plan();
    }
    return undefined;
  }

  /** Adds a part that was read elsewhere. */
  learn(slug: string, part: Part): void {
    this.entry(slug, part.kind).parts.set(idOf(part), part);
  }

  private entry(slug: string, kind: PartKind): Entry {
    const key = `${kind}/${slug}`;
    const known = this.entries.get(key);
    if (known) return known;
    const made: Entry = { parts: new Map(), asked: new Set(), answered: new Set(), wanted: new Set() };
    this.entries.set(key, made);
    return made;
  }

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.options.soon(() => {
      this.isPlanned = false;
      for (const [key, entry] of this.entries) {
        if (entry.wanted.size === 0) continue;
        const at = key.indexOf("/");
        void this.read({ organization: this.options.organization, slug: key.slice(at + 1) }, key.slice(0, at) as PartKind, entry);
      }
    });
  }

  private async read(ref: SpecRef, kind: PartKind, entry: Entry): Promise<void> {
    const names = [...entry.wanted];
    entry.wanted.clear();
    for (const name of names) entry.asked.add(name);
    try {
      const readPage = (asked: { query?: string; page?: string }): Promise<PartList> =>
        queries.fetchQuery({
          queryKey: [...keyOfSpecs(ref.organization), "named-parts", ref.slug, kind, asked],
          staleTime: FRESH,
          gcTime: FRESH,
          queryFn: ({ signal }) => listParts(ref, { kind, limit: MAX_LISTED, ...asked }, signal),
        });
      for (const part of await readNamed(readPage, names)) entry.parts.set(idOf(part), part);
      for (const name of names) entry.answered.add(name);
    } catch (error) {
      entry.problem = await problemOf(ref, error);
    }
    this.options.onKnown();
  }
}

/** Returns why the parts of a specification could not be read. */
async function problemOf(ref: SpecRef, error: unknown): Promise<Problem> {
  if (!(error instanceof ApiError) || error.status !== 404) return "unreachable";
  try {
    await queries.fetchQuery({ ...specQuery(ref), staleTime: 0 });
    return "not-read";
  } catch (reason) {
    return reason instanceof ApiError && reason.status === 404 ? "no-spec" : "unreachable";
  }
}
