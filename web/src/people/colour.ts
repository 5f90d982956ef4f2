/** Number of colours of people. */
const COLOURS = 8;

/** Returns the number of the colour of a person, which is the same in all windows. */
export function colourOf(user: string): number {
  let sum = 0;
  for (const character of user) sum = (sum * 31 + character.charCodeAt(0)) % 9_973;
  return sum % COLOURS;
}
