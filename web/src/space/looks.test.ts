import { expect, it } from "vitest";

import { type Looks, lookChange } from "./looks";

const looks: Looks = {
  layout: { width: "default", cover: true, coverSize: "full", title: true, description: true, tableOfContents: true, outline: true, pagination: true, metadata: true },
  cover: { ref: { kind: "url", url: "https://a.example/b.png" }, yPos: 20, height: 240 },
};

it("sends the parts that were changed alone", () => {
  expect(lookChange(looks, { ...looks, layout: { ...looks.layout, outline: false } })).toEqual({ layout: { outline: false } });
  expect(lookChange(looks, { ...looks, cover: undefined })).toEqual({ cover: null });
  expect(lookChange(looks, { ...looks, cover: { yPos: 5, height: 240 } })).toEqual({ cover: { yPos: 5, height: 240 } });
  expect(lookChange(looks, { ...looks })).toBeUndefined();
});
