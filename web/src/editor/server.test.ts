import { describe, expect, it } from "vitest";

import type { JsonDocument, JsonNode } from "./document";
import { roundTrip, withoutKeys } from "./roundtrip";

/** The address of a running server and a token, such as `http://127.0.0.1:8080 token`. */
const [server, token] = (process.env["BINDERY_ROUNDTRIP"] ?? "").split(" ");

interface Page {
  id: string;
  title: string;
  type: string;
  pages?: Page[];
}

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(`${server}/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as T;
}

function flat(pages: Page[]): Page[] {
  return pages.flatMap((page) => [page, ...flat(page.pages ?? [])]);
}

function isMark(value: unknown): value is { type: string } {
  return (value as { object?: string } | null)?.object === "mark";
}

/** Returns a value with its entries and marks in the order of their names, in which a writer may change them. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.every(isMark) ? value.toSorted((a, b) => (a.type < b.type ? -1 : 1)).map(normal) : value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, one]) => [name, normal(one)]));
}

/** Returns blocks without an empty text at the end, which the editor takes for its own. */
function withoutEnd(nodes: JsonNode[]): JsonNode[] {
  const last = nodes.at(-1);
  const isEmpty = last?.type === "paragraph" && JSON.stringify(last.nodes?.map(({ leaves }) => leaves?.map(({ text }) => text))) === '[[""]]';
  return isEmpty ? nodes.slice(0, -1) : nodes;
}

describe.skipIf(!server)("pages of a server", () => {
  it("stay the same", async () => {
    const { items: organizations } = await read<{ items: { id: string }[] }>("/orgs");
    let count = 0;
    for (const { id } of organizations) {
      const { items: spaces } = await read<{ items: { id: string }[] }>(`/orgs/${id}/spaces?limit=100`);
      for (const space of spaces) {
        const { pages } = await read<{ pages: Page[] }>(`/spaces/${space.id}/content/pages`);
        for (const page of flat(pages).filter(({ type }) => type === "document")) {
          const { document } = await read<{ document: JsonDocument }>(`/spaces/${space.id}/content/page/${page.id}?format=document`);
          const { untouched, rewritten } = roundTrip(document);
          expect(untouched).toEqual(document);
          const forms = (nodes: JsonNode[]) => normal(withoutKeys(withoutEnd(nodes)));
          expect(forms(rewritten.nodes), page.title).toEqual(forms(document.nodes));
          count += 1;
        }
      }
    }
    console.info(`${count} pages`);
  }, 900_000);
});
