/** The mail addresses in a text, and what is none. */
export interface Addresses {
  valid: string[];
  invalid: string[];
}

const ADDRESS = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;

/**
 * Returns the mail addresses in a text, each once. They are separated by spaces, lines, commas or
 * semicolons; a name before an address in angle brackets is left out.
 */
export function parseAddresses(text: string): Addresses {
  const valid = new Map<string, string>();
  const invalid: string[] = [];
  const add = (found: string) => valid.set(found.toLowerCase(), valid.get(found.toLowerCase()) ?? found);
  for (const line of text.split(/[\n;,]+/)) {
    const bracketed = [...line.matchAll(/<([^<>]*)>/g)].map(([, inner]) => (inner ?? "").trim());
    const words = bracketed.length > 0 ? bracketed : line.split(/\s+/);
    for (const word of words.filter(Boolean)) {
      const address = word.replace(/^mailto:/i, "");
      if (ADDRESS.test(address)) add(address);
      else invalid.push(word);
    }
  }
  return { valid: [...valid.values()], invalid };
}
