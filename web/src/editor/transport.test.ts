import { expect, it } from "vitest";

import type { Listener } from "./together";
import { type Request, transportOf } from "./transport";

const place = { organization: "o", space: "s", changeRequest: "7" };

it("asks for the session of the page, or for that of the person's suggestions", async () => {
  const bodies: unknown[] = [];
  const request: Request = (path, { body }) => {
    bodies.push([path, JSON.parse(String(body))]);
    return Promise.resolve(Response.json({ id: "e" }));
  };
  await transportOf(place, "p", request).join(undefined);
  await transportOf(place, "p", request, true).join(undefined);
  const path = "/bindery/spaces/s/change-requests/7/pages/p/editing";
  expect(bodies).toEqual([[path, {}], [path, { suggest: true }]]);
});

it("passes events on, and has the suggestions read when the connection stands", async () => {
  const events = ['data: [{"version":4,"steps":[]}]', ": here", 'event: people\ndata: {"present":[],"left":["a"]}', "event: suggestions\ndata: {}"];
  const request: Request = () => Promise.resolve(new Response(events.map((event) => `${event}\n\n`).join("")));
  const found: unknown[] = [];
  const on: Listener = {
    batches: (batches) => found.push(batches.map(({ version }) => version)),
    people: ({ left }) => found.push(left),
    suggestions: () => found.push("suggestions"),
  };
  await transportOf(place, "p", request).follow("e", 3, "own", on, new AbortController().signal);
  expect(found).toEqual([[], "suggestions", [4], [], ["a"], "suggestions"]);
});
