import "./api.css";

import type { Messages } from "../i18n";
import { isPart, type Known, type KnownParts } from "../openapi/known-parts";
import { type ApiBlock, apiBlockOf, type Picked, type Shown } from "./api-blocks";
import type { JsonNode } from "./document";
import { button, element } from "./view-parts";

export { KnownParts } from "../openapi/known-parts";

/** The services of the page that the boxes of parts of specifications need. */
export interface BoxServices {
  texts: Messages["editor"];
  isEditable: boolean;
  parts: KnownParts;
  /** Returns the address of the screen of a specification, below that of the application. */
  addressOf: (slug: string) => string;
  /** Opens an address of the application. */
  go: (address: string) => void;
  /** Lets the person choose other parts. */
  onPick: (picked: Picked) => void;
}

/** Returns the head of what a block shows of a specification, as published pages show it; `undefined` for other blocks. */
export function apiBox(json: JsonNode, services: BoxServices): HTMLElement[] | undefined {
  const block = apiBlockOf(json);
  if (!block) return undefined;
  const known = block.parts.map((part): [Shown, Known] => [part, block.spec === undefined ? undefined : services.parts.find(block.spec, block.kind, part.name, part.id)]);
  const heads = known.flatMap(([part, found]) => (block.kind === "model" ? [] : [title(block, part, found), address(block, part, found, services)]));
  return [...heads, ...(block.kind === "model" ? [models(known)] : []), ...note(block, known, services), foot(json, block, services)];
}

/** Returns the title of an operation. A line is kept free for it until it is known. */
function title({ kind, spec }: ApiBlock, part: Shown, known: Known): HTMLElement {
  const fallback = kind === "webhook" ? part.name : `${part.method?.toUpperCase() ?? ""} ${part.name}`;
  const isAwaited = known === undefined && spec !== undefined;
  return element("div", "api-box-title", isPart(known) && known.kind !== "model" ? known.title : isAwaited ? "\u00a0" : fallback);
}

function address({ kind }: ApiBlock, part: Shown, known: Known, { texts }: BoxServices): HTMLElement {
  const line = element("div", "api-box-address");
  const path = element("code", "", kind === "webhook" ? `${texts.api.webhook} ${part.name}` : part.name);
  line.append(methodBadge(part.method ?? ""), path);
  if (isPart(known) && known.kind !== "model" && known.deprecated) line.append(element("span", "api-mark", texts.api.deprecated));
  return line;
}

function methodBadge(method: string): HTMLElement {
  const badge = element("span", "api-method", method.toUpperCase());
  badge.dataset["method"] = method;
  return badge;
}

function models(known: readonly [Shown, Known][]): HTMLElement {
  const list = element("ul", "api-box-models");
  for (const [{ name }, found] of known) {
    const item = element("li");
    const code = element("code", "", name);
    item.append(found === null ? element("s") : code);
    if (found === null) item.firstElementChild?.append(code);
    list.append(item);
  }
  return list;
}

/** Returns the sentence that says what the block cannot show. */
function note({ kind, spec, parts }: ApiBlock, known: readonly [Shown, Known][], { texts: { api } }: BoxServices): HTMLElement[] {
  const say = (text: string) => [element("p", "api-box-note", text)];
  if (parts.length === 0) return say(api.nothing);
  if (spec === undefined) return [];
  if (known.some(([, found]) => found === "no-spec")) return say(api.noSpec(spec));
  if (known.some(([, found]) => found === "not-read")) return say(api.notRead(spec));
  const absent = known.filter(([, found]) => found === null).map(([{ name }]) => name);
  if (absent.length === 0) return [];
  return say(kind === "model" ? api.absentModels(spec, absent) : api.absent[kind](spec));
}

/** Returns the kind of the block, its specification, and the button that changes it. */
function foot(json: JsonNode, { kind, spec, address: source }: ApiBlock, { texts, isEditable, addressOf, go, onPick }: BoxServices): HTMLElement {
  const line = element("div", "api-box-foot");
  line.append(element("span", "editor-atom-name", texts.kinds[json.type ?? ""] ?? ""));
  if (spec !== undefined) {
    const link = element("a", "", spec);
    const to = addressOf(spec);
    link.href = `/app${to}`;
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(to);
    });
    line.append(link);
  } else if (source !== undefined) line.append(element("span", "api-box-source", source));
  if (isEditable) {
    const change = button(texts.api.changeIt, "button button-small", () => onPick({ kind, json }));
    change.setAttribute("aria-label", texts.api.change[kind]);
    line.append(change);
  }
  return line;
}
