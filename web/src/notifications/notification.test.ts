import { describe, expect, it } from "vitest";

import type { Messages } from "../i18n";
import { en } from "../i18n/en";
import { later } from "../i18n/en/later";
import { changedBy, marked, type Notification, pathOf, sentenceOf } from "./notification";

const messages: Messages = { ...en, ...later };

function notification(fields: Partial<Notification> = {}): Notification {
  return {
    object: "notification",
    id: "a",
    kind: "mention",
    read: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    actor: { object: "user", id: "u", displayName: "Ann" } as Notification["actor"],
    space: { id: "s", title: "Docs" },
    urls: { app: "https://docs.example.org/app/o/1/s/s/~/changes/7/~/review?comment=3" },
    ...fields,
  };
}

const CHANGE = { id: "c", number: 7, subject: "Fix the guide" };
const said = (fields: Partial<Notification>) =>
  sentenceOf(notification(fields), messages)
    .map(({ text }) => text)
    .join("");

describe("the sentence of a notification", () => {
  it.each([
    [{}, "Ann mentioned you in Docs"],
    [{ changeRequest: CHANGE }, "Ann mentioned you in Fix the guide"],
    [{ changeRequest: { ...CHANGE, subject: "" } }, "Ann mentioned you in Untitled change request"],
    [{ kind: "reply", changeRequest: CHANGE }, "Ann replied to a comment on Fix the guide"],
    [{ kind: "reviewed", review: "approved", changeRequest: CHANGE }, "Ann approved Fix the guide"],
    [{ kind: "reviewed", review: "changes-requested", changeRequest: CHANGE }, "Ann requested changes to Fix the guide"],
    [{ kind: "reviewed", changeRequest: CHANGE }, "Ann reviewed Fix the guide"],
    [{ kind: "merged", changeRequest: CHANGE }, "Ann merged Fix the guide"],
  ] as [Partial<Notification>, string][])("%o", (fields, expected) => {
    expect(said(fields)).toBe(expected);
  });

  it("does not take names for placeholders", () => {
    expect(said({ changeRequest: { ...CHANGE, subject: "{actor}" } })).toBe("Ann mentioned you in {actor}");
  });
});

describe("the path of a notification", () => {
  it.each([
    ["https://docs.example.org/app/o/1/s/s/~/changes/7/~/review?comment=3", "/o/1/s/s/~/changes/7/~/review?comment=3"],
    ["https://example.org/docs/app/o/1/s/s/page", "/o/1/s/s/page"],
    ["javascript:alert(1)", "/o/1/s/s"],
    ["https://example.org/other", "/o/1/s/s"],
  ])("%s", (app, expected) => {
    expect(pathOf("1", notification({ urls: { app } }))).toBe(expected);
  });

  it("leads to the review of the change request if the address is none of the application", () => {
    expect(pathOf("1", notification({ urls: { app: "" }, changeRequest: CHANGE }))).toBe("/o/1/s/s/~/changes/7/~/review");
  });
});

describe("marking notifications", () => {
  const items = [notification(), notification({ id: "b", read: true }), notification({ id: "c" })];
  const states = (list: readonly Notification[]) => list.map(({ read }) => read);

  it("changes those that are named, or all", () => {
    expect(states(marked(items, { isRead: true, ids: ["a"] }))).toEqual([true, true, false]);
    expect(states(marked(items, { isRead: true }))).toEqual([true, true, true]);
    expect(states(marked(items, { isRead: false, ids: ["b", "c"] }))).toEqual([false, false, false]);
  });

  it("keeps the others as they are", () => {
    expect(marked(items, { isRead: true, ids: ["a"] })[2]).toBe(items[2]);
  });

  it("counts each one once, also if two lists have it", () => {
    expect(changedBy({ isRead: true, ids: ["a", "b"] }, [...items, ...items], 2)).toBe(1);
    expect(changedBy({ isRead: false, ids: ["b"] }, items, 2)).toBe(3);
    expect(changedBy({ isRead: true }, items, 40)).toBe(0);
    expect(changedBy({ isRead: true, ids: ["a"] }, items, 0)).toBe(0);
  });
});
