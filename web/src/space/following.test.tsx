import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { endsFollowing, nextStep, useFollowed, useWayAfter } from "./following";
import type { PeopleRead } from "./people-by-page";

const PLACE = { organization: "o", space: "s", changeRequest: "1" };
const NOW = 1_000_000;
const ann = { user: "ann", name: "Ann" };

/** Returns the people as they are read some seconds after the beginning, with Ann on the given pages. */
function readAfter(seconds: number, ...pages: string[]): PeopleRead {
  const others = [{ page: "other", user: { id: "zoe", displayName: "Zoe" } }];
  return { people: [...others, ...pages.map((page) => ({ page, user: { id: "ann", displayName: "Ann" } }))], at: NOW + seconds * 1_000 };
}

let way: ReturnType<typeof useFollowed>;
let container: HTMLElement;
let root: ReturnType<typeof createRoot>;
let gone: string[];

/** Goes to all pages but new ones, which are not known yet. */
function onGo(page: string): boolean {
  gone.push(page);
  return page !== "new";
}

function Window({ place, page, read }: { place: typeof PLACE; page: string; read: PeopleRead | undefined }) {
  way = useFollowed(place, page);
  useWayAfter(way, { page, read, onGo });
  return null;
}

const show = (page: string, read?: PeopleRead, place = PLACE) => act(() => root.render(<Window place={place} page={page} read={read} />));
const follow = () => act(() => way.follow(ann));

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  vi.useFakeTimers({ now: NOW });
  gone = [];
  container = document.body.appendChild(document.createElement("div"));
  root = createRoot(container);
  show("a");
});

afterEach(() => {
  act(() => root.unmount());
  container.remove();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("goes where the person is, unless they are on the page that is shown as well", () => {
  expect(nextStep(["b"], "a", 0)).toEqual({ page: "b" });
  expect(nextStep(["b", "a"], "a", 0)).toBe("stay");
  expect(nextStep(["b"], undefined, 0)).toEqual({ page: "b" });
  expect(nextStep([], "a", 120_000)).toBe("stay");
  expect(nextStep([], "a", 120_001)).toBe("end");
});

it("follows a person from page to page", () => {
  follow();
  show("a", readAfter(3, "a"));
  show("a", readAfter(6));
  expect(gone).toEqual([]);
  show("a", readAfter(9, "b"));
  expect(gone).toEqual(["b"]);
  show("b", readAfter(9, "b"));
  expect(way.followed).toMatchObject(ann);
  show("b", readAfter(12, "c"));
  show("c", readAfter(12, "c"));
  expect(gone).toEqual(["b", "c"]);
  expect(way.followed).toMatchObject(ann);
});

it("tries again to go to a page that was not known", () => {
  follow();
  show("a", readAfter(3, "new"));
  expect(gone).toEqual(["new"]);
  show("a", readAfter(6, "new"));
  expect(gone).toEqual(["new", "new"]);
  expect(way.followed).toMatchObject(ann);
});

it("does not go to the page on which the person was before they were followed", () => {
  show("a", readAfter(-5, "b"));
  follow();
  expect(gone).toEqual([]);
  show("a", readAfter(3, "a"));
  expect(gone).toEqual([]);
});

it("ends when the person opens another page or another place", () => {
  follow();
  show("c", readAfter(3, "a"));
  expect(way.followed).toBeUndefined();
  show("a", readAfter(6, "a"));
  expect(way.followed).toBeUndefined();
  follow();
  show("a", readAfter(9, "a"), { ...PLACE, changeRequest: "2" });
  expect(way.followed).toBeUndefined();
  expect(gone).toEqual([]);
});

it("ends when the followed person has been away for long", () => {
  follow();
  show("a", readAfter(3, "a"));
  show("a", readAfter(123));
  expect(way.followed).toMatchObject(ann);
  show("a", readAfter(124));
  expect(way.followed).toBeUndefined();
});

it("ends with Escape and with what is written, but not with other keys", () => {
  const ends = (name: string, init: Partial<KeyboardEvent>) => {
    const target = document.createElement(name);
    return endsFollowing({ key: "", ctrlKey: false, metaKey: false, target, ...init });
  };
  expect(ends("button", { key: "Escape" })).toBe(true);
  expect(ends("textarea", { key: "a" })).toBe(true);
  expect(ends("textarea", { key: "Backspace" })).toBe(true);
  expect(ends("button", { key: "Enter" })).toBe(false);
  expect(ends("textarea", { key: "ArrowDown" })).toBe(false);
  expect(ends("textarea", { key: "c", ctrlKey: true })).toBe(false);
});

it("listens to the window while it follows somebody", () => {
  follow();
  act(() => void document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true })));
  expect(way.followed).toMatchObject(ann);
  act(() => void document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })));
  expect(way.followed).toBeUndefined();
  follow();
  act(() => void document.body.dispatchEvent(new InputEvent("beforeinput", { bubbles: true })));
  expect(way.followed).toBeUndefined();
});
