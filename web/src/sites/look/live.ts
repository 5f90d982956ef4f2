import { isEqual } from "../differences";
import { colourOf, contrast, mixed, READABLE, SURFACES } from "./colours";
import type { Customization, ThemedColour } from "./model";

type Mode = keyof ThemedColour;
type Properties = Record<string, string>;

const RADII: Record<Customization["styling"]["corners"], [string, string]> = {
  straight: ["0", "0"],
  rounded: [".5rem", ".3125rem"],
  circular: ["1rem", ".625rem"],
};

/** Returns a colour that can be read on a page, darker or lighter than the one that was chosen if it must be. */
function readable(colour: string, mode: Mode): string {
  const end = mode === "light" ? "#000000" : "#ffffff";
  for (let part = 0; part < 1; part += 0.05) {
    const found = mixed(colour, end, part);
    if (contrast(found, SURFACES[mode]) >= READABLE) return found;
  }
  return end;
}

function pair(colour: ThemedColour, of: (colour: string, mode: Mode) => string): string {
  const [light, dark] = (["light", "dark"] as const).map((mode) => of(colourOf(colour[mode]) ?? "#000000", mode));
  return `light-dark(${light}, ${dark})`;
}

/**
 * Returns the properties of CSS that show changes of colours and corners on a page before they are
 * saved. The server computes the colours of the saved page more exactly.
 */
export function liveProperties(saved: Customization, value: Customization): Properties {
  const [old, now] = [saved.styling, value.styling];
  const found: Properties = {};
  if (!isEqual(old.primaryColor, now.primaryColor)) {
    found["--accent"] = pair(now.primaryColor, readable);
    found["--primary"] = pair(now.primaryColor, (colour) => colour);
    found["--on-primary"] = pair(now.primaryColor, (colour) => (contrast(colour, "#ffffff") >= 3 ? "#ffffff" : "#000000"));
  }
  for (const tone of ["info", "success", "warning", "danger"] as const) {
    const colour = now[`${tone}Color`];
    if (isEqual(old[`${tone}Color`], colour)) continue;
    found[`--${tone}`] = pair(colour, readable);
    found[`--${tone}-tint`] = pair(colour, (one, mode) => mixed(one, SURFACES[mode], mode === "light" ? 0.93 : 0.85));
  }
  if (old.corners !== now.corners) [found["--radius"], found["--radius-small"]] = RADII[now.corners];
  return found;
}
