import { describe, expect, it } from "vitest";

import { en } from "../i18n/en";
import { later } from "../i18n/en/later";
import type { AuditEvent } from "./queries";
import { sentenceOf, titlesIn } from "./sentence";

const event = (action: string, target: AuditEvent["target"], actor: AuditEvent["actor"] = { type: "user", id: "u1", label: "Ann" }): AuditEvent => ({
  object: "audit-event",
  id: "e",
  occurredAt: "2026-01-31T12:00:00.000Z",
  action,
  actor,
  source: "api",
  target,
  urls: { location: "" },
});

const texts = { ...en, ...later };
const titles = { space: new Map([["s1", "Handbook"]]), site: new Map([["w1", "Docs"]]) };
const labels = new Map([["rocket.launched", "A rocket was launched"]]);
const textOf = (one: AuditEvent, others: AuditEvent[] = []) =>
  sentenceOf(one, texts, { titles, labels, formerTitles: titlesIn(others, texts) })
    .map(({ text }) => text)
    .join("");

describe("sentenceOf", () => {
  it("names the person and the object", () => {
    expect(textOf(event("space.created", { type: "space", id: "s1", label: "Handbook" }))).toBe("Ann created the space Handbook");
  });

  it("finds the title of an object that has no name in the event", () => {
    expect(textOf(event("space.content.updated", { type: "space", id: "s1" }))).toBe("Ann changed the main content of the space Handbook");
  });

  it("tells the name of a part from the object", () => {
    expect(textOf(event("site.section.added", { type: "site", id: "w1", label: "Guides" }))).toBe("Ann added the section Guides to the site Docs");
  });

  it("finds the title of a deleted object in another event", () => {
    const deleted = event("space.deleted", { type: "space", id: "s9" });
    expect(textOf(deleted)).toBe("Ann deleted the space (deleted)");
    expect(textOf(deleted, [event("space.created", { type: "space", id: "s9", label: "Old" })])).toBe("Ann deleted the space Old");
  });

  it("names the server and describes unknown actions", () => {
    const one = event("rocket.launched", { type: "rocket", id: "r", label: "R1" }, { type: "system", id: "system" });
    expect(textOf(one)).toBe("A rocket was launched (by The server): R1");
  });
});
