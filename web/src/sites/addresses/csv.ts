/** A redirect of a pasted table: a path of the site, and the path of a page. */
export interface PastedRedirect {
  source: string;
  path: string;
  /** False to answer with a redirect that may change. */
  permanent: boolean;
}

/** What was read from a pasted table. */
export interface Pasted {
  redirects: PastedRedirect[];
  /** The numbers of the lines that are not redirects. */
  wrong: number[];
}

/** Returns the fields of a line that is separated by commas, semicolons or tabs. */
function fieldsOf(line: string): string[] {
  const separator = line.includes("\t") ? "\t" : line.includes(";") ? ";" : ",";
  return line.split(separator).map((field) => field.trim().replace(/^"(.*)"$/s, "$1").trim());
}

/** Returns the path of an address with encoded characters, without the host, the query and slashes at the end. */
export function pathOf(text: string): string {
  const path = text.trim().replace(/^https?:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  const encoded = encodeURI(path).replace(/%25([0-9a-f]{2})/gi, "%$1");
  return `/${encoded.replace(/^\/+|\/+$/g, "")}`;
}

const TEMPORARY = new Set(["302", "307", "temporary"]);

/** Reads redirects from lines such as `/old/path, new/path`. A first line of headings is skipped. */
export function readRedirects(text: string): Pasted {
  const pasted: Pasted = { redirects: [], wrong: [] };
  text.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === "" || (at === 0 && /^"?(source|from|old)\b/i.test(line))) return;
    const [source = "", target, status = ""] = fieldsOf(line);
    if (source === "" || target === undefined || target === "" || pathOf(source) === "/") {
      pasted.wrong.push(at + 1);
      return;
    }
    pasted.redirects.push({ source: pathOf(source), path: pathOf(target).slice(1), permanent: !TEMPORARY.has(status.toLowerCase()) });
  });
  return pasted;
}
