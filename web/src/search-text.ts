/** Returns a text as searches compare it: in lower case, without accents. */
export function searchText(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}
