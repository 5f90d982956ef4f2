import { expect, it } from "vitest";

import { ApiError } from "../api/errors";
import { fieldErrors, refusalOf } from "./refusal";

const refused = (message: string, status = 400) => new ApiError(status, "", message);

it("finds the place of a refusal", () => {
  expect(refusalOf(null)).toBeUndefined();
  expect(refusalOf(refused("body at /ref: `x` is no branch: it ends"))).toEqual({ place: "/ref", reason: "`x` is no branch: it ends" });
  expect(refusalOf(refused('query parameter "language": found "?"'))).toEqual({ place: "?language", reason: 'found "?"' });
  expect(refusalOf(refused("body: found nothing"))).toEqual({ place: "", reason: "found nothing" });
  expect(refusalOf(refused("the space is at this position already"))).toEqual({ place: "", reason: "the space is at this position already" });
});

it("gives a refusal to its field, or to the form", () => {
  const errors = fieldErrors(refused("body at /rules/0/users: found an empty list"), ["/rules/0", "/title"]);
  expect(errors.at("/rules/0")).toBe("found an empty list");
  expect(errors.at("/rules/01")).toBeUndefined();
  expect(errors.at("/title")).toBeUndefined();
  expect(errors.above).toBeUndefined();
  expect(fieldErrors(refused("body at /emoji: found 1"), ["/title"]).above).toBe("emoji: found 1");
  expect(fieldErrors(refused("requires the role admin", 403), ["/title"]).above).toBe("requires the role admin");
  expect(fieldErrors(undefined, ["/title"]).above).toBeUndefined();
});
