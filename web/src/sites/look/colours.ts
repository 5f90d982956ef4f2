/** The surfaces of published pages, on which colours are read. */
export const SURFACES = { light: "#ffffff", dark: "#17181c" } as const;

/** The lowest contrast at which texts are readable. */
export const READABLE = 4.5;

/** Returns a colour as six hexadecimal digits, or `undefined` if a text is not one. */
export function colourOf(text: string): string | undefined {
  const digits = text.trim().replace(/^#/, "").toLowerCase();
  if (/^[0-9a-f]{6}$/.test(digits)) return `#${digits}`;
  return /^[0-9a-f]{3}$/.test(digits) ? `#${digits.replace(/./g, "$&$&")}` : undefined;
}

/** Returns the relative luminance of a colour (WCAG 2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((one, other) => other - one) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Returns a mixture of two colours, of which `part` is the second one. */
export function mixed(a: string, b: string, part: number): string {
  const channel = (at: number) => {
    const [one, other] = [a, b].map((colour) => parseInt(colour.slice(at, at + 2), 16)) as [number, number];
    return Math.round(one + (other - one) * part).toString(16).padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
