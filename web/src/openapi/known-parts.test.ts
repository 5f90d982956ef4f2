import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { client } from "../api/client";
import { queries } from "../api/queries";
import { KnownParts } from "./known-parts";
import type { Part } from "./parts";

const ships: Part = { kind: "operation", path: "/ships", method: "get", title: "List ships", tags: [], deprecated: false };
const ports: Part = { ...ships, path: "/ports", title: "List ports" };

let asked: string[] = [];
const answers: Record<string, () => Response> = {};

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", (request: string | Request) => {
    const address = typeof request === "string" ? request : request.url;
    const path = address.replace(/^.*\/openapi\//, "");
    asked.push(path);
    const answer = Object.entries(answers).find(([beginning]) => path.startsWith(beginning))?.[1];
    return Promise.resolve(answer?.() ?? Response.json({ error: { code: 404, message: "none" } }, { status: 404 }));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  queries.clear();
  for (const name of Object.keys(answers)) delete answers[name];
});

/** Returns the parts of a page whose blocks have asked, once `begin` is called. */
function page() {
  const work: (() => void)[] = [];
  const changed = vi.fn();
  const parts = new KnownParts({ organization: "o", soon: (one) => work.push(one), onKnown: changed });
  const find = (path: string, spec = "fleet") => parts.find(spec, "operation", path, `get ${path}`);
  const begin = async (count = 1) => {
    for (const one of work.splice(0)) one();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(count));
  };
  return { parts, find, begin };
}

it("reads the parts of a page together, and once", async () => {
  answers["fleet/operations"] = () => Response.json({ items: [ships, ports], count: 2 });
  const { find, begin } = page();
  expect([find("/ships"), find("/ports"), find("/gone"), find("/ships")]).toEqual([undefined, undefined, undefined, undefined]);
  await begin();
  expect([find("/ships"), find("/ports"), find("/gone")]).toEqual([ships, ports, null]);
  expect(asked).toEqual(["fleet/operations?kind=operation&limit=1000"]);
});

it("looks for one part by its path", async () => {
  answers["fleet/operations"] = () => Response.json({ items: [ships], count: 1 });
  const { find, begin } = page();
  find("/ships");
  await begin();
  expect(find("/ships")).toEqual(ships);
  expect(asked).toEqual(["fleet/operations?kind=operation&limit=1000&query=%2Fships"]);
});

it("reads nothing for a part that was chosen", () => {
  const { parts, find } = page();
  parts.learn("fleet", ships);
  expect(find("/ships")).toEqual(ships);
  expect(asked).toEqual([]);
});

it.each([
  [404, "no-spec"],
  [200, "not-read"],
  [403, "unreachable"],
])("tells what a specification with the status %i lacks", async (status, problem) => {
  const response = new Response(null, { status });
  vi.spyOn(client, "GET").mockResolvedValue(response.ok ? { data: { slug: "early" }, response } : { error: {}, response });
  const { find, begin } = page();
  find("/ships", "early");
  await begin();
  expect(find("/ships", "early")).toBe(problem);
});

it("says nothing of parts that the person may not read", async () => {
  answers["fleet"] = () => Response.json({ error: { code: 403, message: "no" } }, { status: 403 });
  const { find, begin } = page();
  find("/ships");
  await begin();
  expect(find("/ships")).toBe("unreachable");
});
