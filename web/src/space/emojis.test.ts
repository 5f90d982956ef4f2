import { expect, it } from "vitest";

import { emojiCode, emojiText } from "./emoji-text";
import { searchEmoji } from "./emojis";

it("finds emoji by the beginnings of words, and pasted ones", () => {
  expect(searchEmoji("rock").map(([emoji]) => emoji)).toEqual(["🚀"]);
  expect(searchEmoji("blue bo").map(([emoji]) => emoji)).toEqual(["📘"]);
  expect(searchEmoji("🦄")[0]?.[0]).toBe("🦄");
  expect(searchEmoji("🇪🇺")[0]?.[0]).toBe("🇪🇺");
  expect(searchEmoji("nothing like this")).toEqual([]);
});

it("lists each emoji once", () => {
  const all = searchEmoji("");
  expect(all.length).toBeGreaterThan(300);
  expect(new Set(all.map(([emoji]) => emoji)).size).toBe(all.length);
});

it("converts emoji to code points and back", () => {
  expect(emojiCode("👩‍💻")).toBe("1f469-200d-1f4bb");
  for (const [emoji] of searchEmoji("")) expect(emojiText(emojiCode(emoji))).toBe(emoji);
  expect(emojiText(undefined)).toBe("");
  expect(emojiText("nonsense")).toBe("");
});
