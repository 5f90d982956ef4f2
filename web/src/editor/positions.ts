import type { StepMap } from "prosemirror-transform";

/** Number of versions whose changes are remembered, for positions that arrive late. */
const REMEMBERED = 64;

/** The changes of a text from the latest versions to what is shown. They bring positions of a version up to the text. */
export class Positions {
  /** The session of the text; absent before it is joined. */
  session: string | undefined;
  version = 0;
  private recent: (readonly StepMap[])[] = [];

  constructor(
    /** Returns the changes of this window that are not confirmed. */
    readonly own: () => readonly StepMap[],
  ) {}

  /** Begins with the text of a version. */
  begin(session: string, version: number): void {
    this.session = session;
    this.version = version;
    this.recent = [];
  }

  /** Remembers what the next version changed. */
  moved(maps: readonly StepMap[]): void {
    this.version += 1;
    this.recent = [...this.recent, maps].slice(-REMEMBERED);
  }

  /** Returns the changes since a version; `undefined` if it is to come, or is not remembered. */
  since(version: number): readonly StepMap[] | undefined {
    const first = this.recent.length - (this.version - version);
    return first < 0 || version > this.version ? undefined : [...this.recent.slice(first).flat(), ...this.own()];
  }
}
