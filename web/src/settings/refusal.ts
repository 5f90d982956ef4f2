import { reasonOf } from "../space/writing";

/** A refusal of a form: the field that the server names, and the reason. */
export interface Refusal {
  /** The name of the field in the request; absent if the whole request was refused. */
  field?: string;
  reason: string;
}

/** Returns the refusal of a request; a message such as `body at /hostname: x is taken` names the field. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error === null || error === undefined) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const field = /^body at \/(\w+)/.exec(message)?.[1];
  return { reason: reasonOf(error), ...(field !== undefined && { field }) };
}
