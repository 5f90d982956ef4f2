import { StepMap } from "prosemirror-transform";
import { expect, it } from "vitest";

import { Positions } from "./positions";

const insertion = (at: number, size: number) => new StepMap([at, 0, size]);

function now(positions: Positions, version: number, at: number): number | undefined {
  return positions.since(version)?.reduce((position, map) => map.map(position), at);
}

it("brings positions of earlier versions up to the text, with the changes of this window last", () => {
  const positions = new Positions(() => [insertion(0, 1_000)]);
  positions.begin("session", 3);
  positions.moved([insertion(1, 10)]);
  positions.moved([insertion(1, 100), insertion(500, 1)]);
  expect(now(positions, 5, 5)).toBe(1_005);
  expect(now(positions, 4, 5)).toBe(1_105);
  expect(now(positions, 3, 5)).toBe(1_115);
});

it("knows no positions of versions that are to come, or from before the session", () => {
  const positions = new Positions(() => []);
  positions.begin("session", 3);
  positions.moved([]);
  expect([2, 3, 4, 5].map((version) => now(positions, version, 7))).toEqual([undefined, 7, 7, undefined]);
  positions.begin("other", 1);
  expect([0, 1, 2].map((version) => now(positions, version, 7))).toEqual([undefined, 7, undefined]);
});

it("forgets versions that are long past", () => {
  const positions = new Positions(() => []);
  positions.begin("session", 0);
  for (let version = 1; version <= 100; version += 1) positions.moved([insertion(0, 1)]);
  expect(now(positions, 40, 0)).toBe(60);
  expect(now(positions, 30, 0)).toBeUndefined();
});
