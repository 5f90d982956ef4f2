import { expect, it } from "vitest";

import { liveProperties } from "./live";
import type { Customization } from "./model";

const colour = (light: string, dark = light) => ({ light, dark });

function customization(styling: Partial<Customization["styling"]>): Customization {
  const [infoColor, successColor, warningColor, dangerColor] = ["#0000aa", "#00aa00", "#aa5500", "#aa0000"].map((one) => colour(one));
  return { styling: { corners: "rounded", primaryColor: colour("#346ddb"), infoColor, successColor, warningColor, dangerColor, ...styling } } as Customization;
}

it("leaves pages as they are without changes", () => {
  expect(liveProperties(customization({}), customization({}))).toEqual({});
});

it("shows changed corners only", () => {
  expect(liveProperties(customization({}), customization({ corners: "straight" }))).toEqual({ "--radius": "0", "--radius-small": "0" });
});

it("makes colours readable", () => {
  const found = liveProperties(customization({}), customization({ primaryColor: colour("#ffff00", "#000080") }));
  expect(found["--primary"]).toBe("light-dark(#ffff00, #000080)");
  expect(found["--on-primary"]).toBe("light-dark(#000000, #ffffff)");
  expect(found["--accent"]).not.toContain("#ffff00");
  expect(found["--accent"]).not.toContain("#000080");
});
