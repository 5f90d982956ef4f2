import { expect, it } from "vitest";

import { idOf, MAX_LISTED, type Operation, type PartList, readNamed } from "./parts";

function operation(path: string, method = "get"): Operation {
  return { kind: "operation", path, method, title: `${method} ${path}`, tags: [], deprecated: false };
}

/** Returns the reading of a list with pages of the size of the server, and what was asked for. */
function listed(all: Operation[]) {
  const asked: string[] = [];
  const read = ({ query, page }: { query?: string; page?: string }): Promise<PartList> => {
    asked.push(query ?? `page ${page ?? "0"}`);
    const found = all.filter(({ path }) => query === undefined || path.includes(query));
    const from = Number(page ?? 0);
    const end = from + MAX_LISTED;
    return Promise.resolve({ items: found.slice(from, end), count: found.length, ...(end < found.length && { next: { page: String(end) } }) });
  };
  return { read, asked };
}

/** Returns as many operations as a number of pages has. */
function many(pages: number): Operation[] {
  return Array.from({ length: pages * MAX_LISTED }, (_, at) => operation(`/things/${at}/`));
}

it.each([
  [operation("/ships", "GET"), "get /ships"],
  [{ ...operation(""), kind: "webhook" as const, name: "sunk", method: "post" }, "post sunk"],
  [{ kind: "model" as const, name: "Ship" }, "Ship"],
])("gives a part an id", (part, id) => {
  expect(idOf(part)).toBe(id);
});

it("looks for one name", async () => {
  const { read, asked } = listed([operation("/ships"), operation("/ships", "post"), operation("/ports")]);
  const found = await readNamed(read, ["/ships"]);
  expect(found.map(idOf)).toEqual(["get /ships", "post /ships"]);
  expect(asked).toEqual(["/ships"]);
});

it("reads the list once for several names", async () => {
  const { read, asked } = listed([operation("/ships"), operation("/ports"), operation("/crews")]);
  expect((await readNamed(read, ["/ships", "/ports", "/gone"])).map(idOf)).toContain("get /ports");
  expect(asked).toEqual(["page 0"]);
});

it("reads the list for a name without words", async () => {
  const { read, asked } = listed([operation("/"), operation("/ships")]);
  expect((await readNamed(read, ["/"])).map(idOf)).toContain("get /");
  expect(asked).toEqual(["page 0"]);
});

it("looks for the last names of a long list, as soon as that takes fewer requests", async () => {
  const { read, asked } = listed(many(5));
  const names = ["/things/1/", "/things/2/", "/things/4500/", "/things/4600/"];
  const found = new Set((await readNamed(read, names)).map(({ kind, ...part }) => kind === "operation" && "path" in part && part.path));
  expect(names.filter((name) => !found.has(name))).toEqual([]);
  expect(asked).toEqual(["page 0", "/things/4500/", "/things/4600/"]);
});

it("reads on for many names", async () => {
  const { read, asked } = listed(many(3));
  const names = Array.from({ length: 9 }, (_, at) => `/things/${2 * MAX_LISTED + at}/`);
  await readNamed(read, names);
  expect(asked).toEqual(["page 0", "page 1000", "page 2000"]);
});

it("finds the operations of a path on two pages", async () => {
  const all = many(2);
  all[MAX_LISTED - 1] = operation("/split", "get");
  all[MAX_LISTED] = operation("/split", "post");
  const { read } = listed(all);
  expect((await readNamed(read, ["/split", "/things/1/"])).map(idOf)).toContain("post /split");
});
