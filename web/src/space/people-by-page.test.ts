import { expect, it } from "vitest";

import { ApiError } from "../api/errors";
import { intervalAfter, othersByPage, peopleBelow } from "./people-by-page";
import type { Entry } from "./tree";

const on = (page: string, id: string, displayName = id) => ({ page, user: { id, displayName } });

function names(people: Parameters<typeof othersByPage>[0], self?: string) {
  return Object.fromEntries([...othersByPage(people, self)].map(([page, others]) => [page, others.map(({ displayName }) => displayName)]));
}

it("groups people by their pages, by their names, and leaves out oneself", () => {
  const people = [on("a", "1", "Zoe"), on("a", "2", "Ben"), on("b", "3", "Ann"), on("b", "2", "Ben"), on("c", "2", "Ben")];
  expect(names(people, "2")).toEqual({ a: ["Zoe"], b: ["Ann"] });
  expect(names(people)).toEqual({ a: ["Ben", "Zoe"], b: ["Ann", "Ben"], c: ["Ben"] });
  expect(names([])).toEqual({});
});

it("counts people by their ids: those with several windows once, and those with the same name each", () => {
  const people = [on("a", "1", "Ann"), on("a", "2", "Ann"), on("a", "1", "Ann")];
  expect(othersByPage(people, "3").get("a")?.map(({ id }) => id)).toEqual(["1", "2"]);
});

it("groups people by the pages above theirs", () => {
  const entry = (parent: string | null) => ({ parent, page: {} }) as Entry;
  const index = new Map(Object.entries({ a: entry(null), b: entry("a"), c: entry("b"), d: entry("a") }));
  for (const [id, { page }] of index) page.id = id;
  const below = peopleBelow(othersByPage([on("c", "1", "Zoe"), on("d", "2", "Ben"), on("d", "1", "Zoe"), on("a", "3", "Ann"), on("gone", "4")], undefined), index);
  expect(Object.fromEntries([...below].map(([page, people]) => [page, people.map(({ displayName }) => displayName)]))).toEqual({ a: ["Ben", "Zoe"], b: ["Zoe"] });
});

it("asks more often on the way after a person, and no more after a refusal", () => {
  const failed = (status: number) => new ApiError(status, "", "");
  expect(intervalAfter(null, false)).toBe(15_000);
  expect(intervalAfter(null, true)).toBe(3_000);
  for (const status of [0, 503]) expect(intervalAfter(failed(status), false)).toBe(15_000);
  for (const status of [401, 403, 404, 501]) expect(intervalAfter(failed(status), true)).toBe(false);
});
