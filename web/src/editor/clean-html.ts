/** Elements of other programs that hold nothing of the text. */
const DROPPED = "style, script, meta, link, title, o\\:p, .mso-hide, [hidden]";

/**
 * Returns HTML without handlers of events, whose styles are in `data-style`. The policy of the
 * application forbids both, also in a document that is only read.
 */
function inert(html: string): string {
  const tags = html.replace(/<style\b[\s\S]*?<\/style\s*>/gi, "");
  return tags.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle(\s*=)/gi, " data-style$1").replace(/\son\w+(\s*=)/gi, " data-on$1"));
}

/** Returns a property of the styles of an element in small letters; an empty text if it has none. */
function styleOf(element: HTMLElement, name: string): string {
  const rules = (element.dataset["style"] ?? "").toLowerCase().split(";");
  const rule = rules.map((one) => one.split(":")).find(([property]) => property?.trim() === name);
  return rule?.slice(1).join(":").trim() ?? "";
}

/** Returns pasted HTML without what other programs add to it: styles, lists that are no lists, empty paragraphs. */
export function cleanHtml(html: string): string {
  const plain = inert(html);
  const isEditor = /data-pm-slice/.test(plain);
  if (isEditor && !/<img\b/i.test(plain)) return plain;
  const page = new DOMParser().parseFromString(plain, "text/html");
  const { body } = page;
  pictures(body);
  if (isEditor) return body.innerHTML;
  for (const one of body.querySelectorAll(DROPPED)) one.remove();
  lists(page);
  sourceCode(body);
  for (const bold of body.querySelectorAll<HTMLElement>("b")) {
    // Documents of one program are wrapped in a bold element that is not bold.
    if (styleOf(bold, "font-weight") === "normal") bold.replaceWith(...bold.childNodes);
  }
  for (const span of body.querySelectorAll<HTMLElement>("span")) marked(span);
  for (const box of body.querySelectorAll("li input[type=checkbox]")) {
    const item = box.closest("li");
    item?.setAttribute("data-checked", String((box as HTMLInputElement).hasAttribute("checked")));
    item?.parentElement?.setAttribute("data-tasks", "");
    box.remove();
  }
  for (const cell of body.querySelectorAll("td, th")) {
    for (const name of ["colspan", "rowspan"]) cell.removeAttribute(name);
  }
  headers(body);
  for (const paragraph of body.querySelectorAll("p")) {
    if (paragraph.textContent?.replace(/\u00a0/g, "").trim() === "" && !paragraph.querySelector("img")) paragraph.remove();
  }
  return body.innerHTML;
}

/**
 * Tells pictures that stand in a text from those that are blocks of their own. Emojis become text,
 * and pictures that nobody can see go.
 */
function pictures(body: HTMLElement): void {
  for (const image of body.querySelectorAll("img")) {
    const { alt } = image;
    const isHidden = [image.getAttribute("width"), image.getAttribute("height")].some((size) => size === "0" || size === "1");
    if (isHidden) image.remove();
    else if (/^[\p{Extended_Pictographic}\p{Emoji_Component}]+$/u.test(alt) && /\P{ASCII}/u.test(alt)) image.replaceWith(alt);
    else placed(image);
  }
}

/** Marks a picture that stands in a text, and gives one of a figure its caption. */
function placed(image: HTMLImageElement): void {
  const figure = image.closest("figure");
  const caption = figure?.querySelectorAll("img").length === 1 ? figure.querySelector("figcaption") : null;
  if (caption) {
    image.dataset["caption"] = caption.textContent?.replace(/\s+/g, " ").trim() ?? "";
    caption.remove();
  }
  const text = image.closest("p, h1, h2, h3, h4, h5, h6, li, td, th, dt, dd");
  const isBeside = text !== null && (/^(H\d|T[DH])$/.test(text.tagName) || (text.textContent ?? "").replace(/\u00a0/g, "").trim() !== "");
  if (isBeside && !figure) image.dataset["beside"] = "";
  else if (text?.tagName === "P") text.replaceWith(...text.querySelectorAll("img"));
}

/** Makes elements of the styles that carry a meaning. */
function marked(span: HTMLElement): void {
  const weight = styleOf(span, "font-weight");
  const names = [
    ...(weight === "bold" || Number(weight) >= 600 ? ["strong"] : []),
    ...(styleOf(span, "font-style") === "italic" ? ["em"] : []),
    ...(/line-through/.test(`${styleOf(span, "text-decoration-line")} ${styleOf(span, "text-decoration")}`) ? ["s"] : []),
  ];
  if (names.length === 0 || span.closest("h1, h2, h3, h4, h5, h6")) return;
  let inner: HTMLElement = span;
  for (const name of names) {
    const made = span.ownerDocument.createElement(name);
    made.append(...inner.childNodes);
    inner.append(made);
    inner = made;
  }
}

/** Makes lists of the paragraphs that Word marks as items. */
function lists(page: Document): void {
  let list: HTMLElement | undefined;
  let last: Element | null = null;
  for (const paragraph of [...page.body.querySelectorAll<HTMLElement>("p[class*=MsoListParagraph], p[data-style*='mso-list']")]) {
    const sign = paragraph.querySelector("[data-style*='mso-list:Ignore'], [data-style*='mso-list: Ignore']");
    const isNumbered = /^\s*\w+[.)]/.test(sign?.textContent ?? "");
    sign?.remove();
    const name = isNumbered ? "OL" : "UL";
    const follows = last !== null && paragraph.previousElementSibling === list && list?.tagName === name;
    if (!follows) {
      list = page.createElement(name);
      paragraph.before(list);
    }
    const item = page.createElement("li");
    item.append(...paragraph.childNodes);
    list?.append(item);
    paragraph.remove();
    last = item;
  }
}

/** Makes code of the lines that a code editor copies as boxes. */
function sourceCode(body: HTMLElement): void {
  for (const box of body.querySelectorAll<HTMLElement>(":scope > div")) {
    const isCode = styleOf(box, "white-space").startsWith("pre") && /mono|consolas|menlo|courier/.test(styleOf(box, "font-family"));
    if (!isCode) continue;
    const made = body.ownerDocument.createElement("pre");
    const code = body.ownerDocument.createElement("code");
    code.textContent = [...box.children].map((line) => line.textContent ?? "").join("\n");
    made.append(code);
    box.replaceWith(made);
  }
}

/** Makes the first row of each table a row of headers. */
function headers(body: HTMLElement): void {
  for (const table of body.querySelectorAll("table")) {
    const first = table.querySelector("tr");
    if (!first || first.querySelector("th")) continue;
    for (const cell of [...first.children]) {
      const header = body.ownerDocument.createElement("th");
      header.append(...cell.childNodes);
      cell.replaceWith(header);
    }
  }
}
