import { ApiError } from "../api/errors";

/** The reason of a refusal and the place in the body of the request that it is about. */
export interface Refusal {
  /** A JSON pointer such as `/credentials/token`, or a query parameter such as `?language`; empty for the whole request. */
  place: string;
  reason: string;
}

/**
 * Divides the message of a refused request: `body at /ref: found nothing` is the place `/ref` with
 * the reason `found nothing`.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error === null || error === undefined) return undefined;
  const message = error instanceof Error ? error.message : String(error);
  const isOwnFault = error instanceof ApiError && error.status < 500;
  const query = isOwnFault ? /^query parameter "([^"]+)": (.*)$/s.exec(message) : null;
  if (query) return { place: `?${query[1]}`, reason: query[2] ?? message };
  const body = isOwnFault ? /^body(?: at (\/\S*))?: (.*)$/s.exec(message) : null;
  return { place: body?.[1] ?? "", reason: body?.[2] ?? message };
}

/** The reasons of a refusal, divided between the fields of a form. */
export interface FieldErrors {
  /** Returns the reason at a place or in anything below it. */
  at: (place: string) => string | undefined;
  /** The reason that belongs to no field of the form. */
  above: string | undefined;
}

/** Divides a refusal between the fields of a form, which are at the given places. */
export function fieldErrors(error: unknown, places: readonly string[]): FieldErrors {
  const refusal = refusalOf(error);
  const covers = (place: string) => refusal !== undefined && (refusal.place === place || refusal.place.startsWith(`${place}/`));
  return {
    at: (place) => (covers(place) ? refusal?.reason : undefined),
    above: refusal === undefined || places.some(covers) ? undefined : refusal.place === "" ? refusal.reason : `${refusal.place.slice(1)}: ${refusal.reason}`,
  };
}
