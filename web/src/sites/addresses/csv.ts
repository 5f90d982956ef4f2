/** A redirect of a table: a path of the site, and the path of a page. */
export interface PastedRedirect {
  /** The number of its line. */
  line: number;
  source: string;
  path: string;
  /** False to answer with a redirect that may change. */
  permanent: boolean;
  /** The path or the title of the space of the page; empty for the space that is chosen beside the table. */
  space: string;
}

/** A table as it was read. */
export interface Pasted {
  redirects: PastedRedirect[];
  /** The numbers of the lines that are not redirects. */
  wrong: number[];
}

/** The paths that the server accepts as sources. It refuses all redirects of a request if one has another. */
const SOURCE = /^(?:\/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+)+$/;
/** Maximum length of a source. */
const MAX_SOURCE = 512;

/** True if the server accepts a path as the source of a redirect. */
export function isSource(path: string): boolean {
  return path.length <= MAX_SOURCE && SOURCE.test(path);
}

const QUOTED = /"(?:[^"]|"")*"/g;

/** Returns the fields of a line that is separated by commas, semicolons or tabs, such as `a` and `b,c` of `a,"b,c"`. */
function fieldsOf(line: string): string[] {
  const bare = line.replace(QUOTED, "");
  const separator = bare.includes("\t") ? "\t" : bare.includes(";") ? ";" : ",";
  const fields = [""];
  for (const part of line.match(/"(?:[^"]|"")*"|[^]/g) ?? []) {
    if (part === separator) fields.push("");
    else fields[fields.length - 1] += part.length > 1 ? part.slice(1, -1).replaceAll('""', '"') : part;
  }
  return fields.map((field) => field.trim());
}

/** Returns the path of an address with encoded characters, without the host, the query and slashes at the end. */
export function pathOf(text: string): string {
  const path = text.trim().replace(/^https?:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  const encoded = encodeURI(path).replace(/%25([0-9a-f]{2})/gi, "%$1");
  return `/${encoded.replace(/^\/+|\/+$/g, "")}`;
}

const TEMPORARY = new Set(["302", "307", "temporary"]);

/** Reads redirects from lines such as `/old/path, new/path, 302, guides`. A first line of headings is skipped. */
export function readRedirects(text: string): Pasted {
  const pasted: Pasted = { redirects: [], wrong: [] };
  text.replace(/^\ufeff/, "").split(/\r?\n/).forEach((content, at) => {
    if (content.trim() === "" || (at === 0 && /^"?(source|from|old)\b/i.test(content))) return;
    const [from = "", target = "", status = "", space = ""] = fieldsOf(content);
    const source = pathOf(from);
    const line = at + 1;
    if (target === "" || !isSource(source)) pasted.wrong.push(line);
    else pasted.redirects.push({ line, source, path: pathOf(target).slice(1), permanent: !TEMPORARY.has(status.toLowerCase()), space });
  });
  return pasted;
}

/** Returns a table of redirects to pages, which {@link readRedirects} reads. */
export function writeRedirects(redirects: readonly Pick<PastedRedirect, "source" | "path" | "space">[]): string {
  const field = (text: string) => (/[",;\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = redirects.map(({ source, path, space }) => [source, `/${path}`, "", space].map(field).join(","));
  return ["source,page,status,space", ...lines, ""].join("\r\n");
}
