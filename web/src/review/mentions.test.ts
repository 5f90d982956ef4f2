import { describe, expect, it } from "vitest";

import { fromMarkdown, mentionAt, mentionedIn, toMarkdown } from "./mentions";

const ann = { id: "a1", name: "Ann Baker" };
const an = { id: "a2", name: "Ann" };

describe("mentionAt", () => {
  it("finds the name before the caret", () => {
    expect(mentionAt("Ask @An", 7)).toEqual({ start: 4, query: "An" });
    expect(mentionAt("@", 1)).toEqual({ start: 0, query: "" });
    expect(mentionAt("@Ann Ba", 7)).toEqual({ start: 0, query: "Ann Ba" });
  });

  it("finds nothing in a mail address, or after a space", () => {
    expect(mentionAt("ann@example", 11)).toBeUndefined();
    expect(mentionAt("at @ nine", 6)).toBeUndefined();
  });
});

describe("mentions", () => {
  const markdown = 'Ask [Ann Baker](https://app.gitbook.com/u/a1 "mention") or [Ann](https://app.gitbook.com/u/a2 "mention"), not @Annika';

  it("become links, the longest name first", () => {
    expect(toMarkdown("Ask @Ann Baker or @Ann, not @Annika", [an, ann])).toBe(markdown);
    expect(toMarkdown("Ask @Ben", [ann])).toBe("Ask @Ben");
  });

  it("are read from links", () => {
    expect(mentionedIn(markdown)).toEqual(["a1", "a2"]);
    expect(fromMarkdown(`${markdown}\n`, [an, ann])).toBe("Ask @Ann Baker or @Ann, not @Annika");
  });
});
