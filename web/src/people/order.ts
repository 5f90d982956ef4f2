/** Compares two people by their names, and those with the same name by their ids. */
export function compareNames(a: readonly [name: string, id: string], b: readonly [name: string, id: string]): number {
  return a[0].localeCompare(b[0]) || a[1].localeCompare(b[1]);
}
