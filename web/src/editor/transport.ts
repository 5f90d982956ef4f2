import type { Place } from "../api/place";
import type { PeopleChange } from "./people";
import type { Joined, Listener, Sending, Transport, Work } from "./together";
import type { Batch } from "./unconfirmed";

/** Sends a request to a path of the API. Throws an `ApiError` unless it succeeds. */
export type Request = (path: string, init: RequestInit) => Promise<Response>;

/** Returns the connection to the session of a page of a content, or to that of the person's suggestions for it. */
export function transportOf({ space, changeRequest }: Place, page: string, request: Request, suggest?: boolean): Transport {
  const base = `/bindery/spaces/${space}${changeRequest === undefined ? "" : `/change-requests/${changeRequest}`}`;
  const steps = (session: string) => `${base}/editing/${session}/steps`;
  const send = (method: string, path: string, body: object) =>
    request(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const post = async <T>(path: string, body: object): Promise<T> => (await send("POST", path, body)).json() as Promise<T>;
  return {
    join: (work: Work | undefined) => post<Joined>(`${base}/pages/${page}/editing`, { work, suggest: suggest || undefined }),
    send: (session: string, sending: Sending) => post<{ version: number }>(steps(session), sending),
    async list(session, version) {
      const found = await request(`${steps(session)}?version=${version}`, {});
      return ((await found.json()) as { items: Batch[] }).items;
    },
    async select(session, client, selected) {
      await send("PUT", `${base}/editing/${session}/selection`, { client, ...selected });
    },
    async follow(session, version, client, on, signal) {
      const found = await request(`${steps(session)}?version=${version}&follow=true&client=${client}`, { signal });
      const reader = found.body?.pipeThrough(new TextDecoderStream()).getReader();
      if (!reader) return;
      on.batches([]);
      on.suggestions();
      let rest = "";
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const events = (rest + next.value).split("\n\n");
        rest = events.pop() ?? "";
        for (const event of events) pass(event, on);
      }
    },
  };
}

/** Passes a server-sent event on. Comments only show that the connection stands. */
function pass(event: string, on: Listener): void {
  const fields = event.split("\n");
  const data = fields.flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  const found: unknown = data.length > 0 ? JSON.parse(data.join("\n")) : [];
  if (fields.includes("event: people")) on.people(found as PeopleChange);
  else if (fields.includes("event: suggestions")) on.suggestions();
  else on.batches(Array.isArray(found) ? (found as Batch[]) : []);
}
