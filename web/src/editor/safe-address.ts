const SCHEMES = new Set(["http", "https", "mailto", "tel"]);

/** Returns an address that a link may lead to, or undefined for schemes that can run code, such as `javascript:`. */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  // Browsers ignore control characters and spaces in front of and inside a scheme.
  const plain = [...address].filter((character) => character > " " && character !== "\u007f").join("");
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(plain)?.[1];
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase()) ? address : undefined;
}
