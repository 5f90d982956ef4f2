/** Number of colours of people. */
const COLOURS = 8;

/** The colours that people have in this tab. */
const given = new Map<string, number>();

/** Returns the number of the colour of a person: the same in all windows, unless another person had it first in this tab. */
export function colourOf(user: string): number {
  const known = given.get(user);
  if (known !== undefined) return known;
  let sum = 0;
  for (const character of user) sum = (sum * 31 + character.charCodeAt(0)) % 9_973;
  const taken = new Set(given.values());
  const colours = Array.from({ length: COLOURS }, (_, next) => (sum + next) % COLOURS);
  const colour = colours.find((one) => !taken.has(one)) ?? sum % COLOURS;
  given.set(user, colour);
  return colour;
}
