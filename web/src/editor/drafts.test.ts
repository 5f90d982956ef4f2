import { beforeEach, expect, test } from "vitest";

import { adoptDraft, type Draft, findDrafts, keepDraft, sendDrafts } from "./drafts";
import { openWindows, THIS_WINDOW } from "./windows";

const KEY = "bindery.draft.space.1.page";

const work = (client: string) => ({ client, number: 1, base: {}, document: {} });

/** Keeps a draft as another window does. */
function left(window: string, at: number, draft: Partial<Draft>): void {
  localStorage.setItem(`${KEY}#${window}`, JSON.stringify({ fields: {}, at, ...draft }));
}

beforeEach(() => localStorage.clear());

test("the newest draft is taken over, with the fields of all, and the other texts are sent", async () => {
  left("one", 1, { fields: { title: "One", description: "Of one" }, work: work("one") });
  left("two", 3, { fields: { title: "Two" }, work: work("two") });
  left("three", 2, { fields: { slug: "" } });
  localStorage.setItem(`${KEY}.suggestions#four`, JSON.stringify({ fields: {}, at: 4 }));
  const adopted = await adoptDraft(KEY);
  expect(adopted).toMatchObject({ fields: { title: "Two", description: "Of one", slug: "" }, work: work("two") });
  expect((await findDrafts(KEY)).map(({ name }) => name)).toEqual([`${KEY}#${THIS_WINDOW}`, `${KEY}#one`]);
  const sent: string[] = [];
  await sendDrafts(KEY, async ({ client }) => sent.push(client));
  expect(sent).toEqual(["one"]);
  expect((await findDrafts(KEY)).map(({ name }) => name)).toEqual([`${KEY}#${THIS_WINDOW}`]);
});

test("a draft stays if it cannot be sent", async () => {
  left("one", 1, { work: work("one") });
  await expect(sendDrafts(KEY, () => Promise.reject(new Error("The network is gone")))).rejects.toThrow();
  expect(await findDrafts(KEY)).toHaveLength(1);
});

test("the draft of a window that is open is left to it", async () => {
  const other = new BroadcastChannel("bindery.windows");
  other.onmessage = ({ data: { question } }: MessageEvent<{ question?: string }>) => {
    if (question === "there") other.postMessage({ answer: question });
  };
  left("there", 1, { work: work("there") });
  left("gone", 2, { work: work("gone") });
  expect((await findDrafts(KEY)).map(({ name }) => name)).toEqual([`${KEY}#gone`]);
  expect(await openWindows(["there", "gone", THIS_WINDOW])).toEqual(new Set(["there"]));
  other.close();
  keepDraft(KEY, { fields: {}, at: 3 });
  expect(await findDrafts(KEY)).toHaveLength(3);
});
