import { Fragment, type Node, Slice } from "prosemirror-model";
import { Plugin } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";

import { freedSlice } from "./block-keys";
import { cleanHtml } from "./clean-html";
import { imagesOf, isPasted, type PastedRef } from "./images";
import type { JsonNode } from "./document";
import { laterMarkdown, laterPictures } from "./later";
import type { Pictures } from "./pictures";
import { schema } from "./schema";
import { copied } from "./to-markdown";

/** Signs of Markdown at the beginning of lines or around words. */
const MARKDOWN = /^(#{1,6} |[-*+] |\d+[.)] |> |```|\|.*\|\s*$|\{% )|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\([^)\n]+\)|`[^`\n]+`/m;
const IMAGE = /^https?:\/\/\S+\.(png|jpe?g|gif|webp|svg|avif)(\?\S*)?$/i;
const ADDRESS = /^(https?:\/\/|mailto:)\S+$/i;

interface Options extends Pictures {
  isEditable: boolean;
}

/** Returns the block of a file of the space: a picture or a file to load. */
function blockOf(file: File, id: string): Node {
  const ref = { kind: "file", file: id };
  const alt = file.name.replace(/\.\w+$/, "");
  const json = file.type.startsWith("image/") ? imagesOf(ref, alt === "image" ? "" : alt) : { object: "block", type: "file", isVoid: true, data: { ref } };
  return schema.node("atom", { json });
}

async function insertFiles(view: EditorView, files: File[], at: number, upload: Options["upload"]): Promise<void> {
  for (const file of files) {
    const id = await upload(file);
    if (id === undefined || view.isDestroyed) continue;
    const { doc } = view.state;
    const position = doc.resolve(Math.min(at, doc.content.size));
    const isEmpty = position.depth === 1 && position.parent.isTextblock && position.parent.content.size === 0;
    const block = blockOf(file, id);
    if (isEmpty) view.dispatch(view.state.tr.replaceWith(position.before(), position.after(), block));
    else view.dispatch(view.state.tr.insert(position.depth > 0 ? position.after(1) : position.pos, block));
  }
}

/** Returns a text as it is. */
function plain(text: string): Node[] {
  return [schema.node("paragraph", null, schema.text(text))];
}

/** Returns the references of pictures in pasted nodes that are to become files of the space. */
function picturesIn(content: Fragment): Set<PastedRef> {
  const found = new Set<PastedRef>();
  content.descendants((node) => {
    const json = node.attrs["json"] as JsonNode | undefined;
    for (const { data } of [json ?? {}, ...(json?.nodes ?? [])] as Partial<JsonNode>[]) {
      const ref = data?.["ref"];
      if (isPasted(ref)) found.add(ref);
    }
  });
  return found;
}

/** Adds pictures of a pasted text to the space. */
function takeOver(view: EditorView, refs: Set<PastedRef>, rtf: string, options: Pictures): void {
  if (refs.size === 0) return;
  void laterPictures.load().then(
    (part) => part.takeOver(view, refs, rtf, options),
    () => options.onLeft(refs.size, 0),
  );
}

function pasteMarkdown(view: EditorView, text: string, options: Pictures): void {
  const insert = (fromMarkdown: (text: string) => Node[]) => {
    if (view.isDestroyed) return;
    const blocks = fromMarkdown(text);
    const only = blocks.length === 1 ? blocks[0] : undefined;
    const slice = only?.type.name === "paragraph" ? new Slice(Fragment.from(only), 1, 1) : new Slice(Fragment.fromArray(blocks), 0, 0);
    view.dispatch(view.state.tr.replaceSelection(slice).scrollIntoView());
    takeOver(view, picturesIn(slice.content), "", options);
  };
  if (laterMarkdown.now) insert(laterMarkdown.now.fromMarkdown);
  else laterMarkdown.load().then(({ fromMarkdown }) => insert(fromMarkdown), () => insert(plain));
}

/** Takes what is pasted and dropped: files, addresses, Markdown and HTML of other programs. What is copied is Markdown and HTML. */
export function pasting(options: Options): Plugin {
  const { isEditable, upload } = options;
  let rtf = "";
  if (!isEditable) return new Plugin({ props: { clipboardTextSerializer: copied } });
  return new Plugin({
    props: {
      clipboardTextSerializer: copied,
      transformPastedHTML: cleanHtml,
      transformPasted(slice, view) {
        const freed = freedSlice(slice, view);
        // What is dragged was pasted before.
        if (!view.dragging) takeOver(view, picturesIn(freed.content), rtf, options);
        return freed;
      },
      handleDOMEvents: {
        paste(_view, event) {
          // Word processors put their pictures beside the HTML, which holds their places.
          rtf = event.clipboardData?.getData("text/rtf") ?? "";
          return false;
        },
      },
      handlePaste(view, event) {
        const data = event.clipboardData;
        const files = [...(data?.files ?? [])];
        const html = data?.getData("text/html") ?? "";
        const text = (data?.getData("text/plain") ?? "").trim();
        const { selection } = view.state;
        if (files.length > 0 && !/<(p|table|li|h\d)\b/i.test(html)) {
          void insertFiles(view, files, selection.from, upload);
          return true;
        }
        if (selection.$from.parent.type.spec.code) return false;
        if (IMAGE.test(text) && selection.empty) {
          view.dispatch(view.state.tr.replaceSelectionWith(schema.node("atom", { json: imagesOf({ kind: "url", url: text }) })));
          return true;
        }
        if (ADDRESS.test(text)) {
          const link = schema.mark("link", { ref: { kind: "url", url: text } });
          const transaction = view.state.tr;
          if (selection.empty) transaction.replaceSelectionWith(schema.text(text, [link]), false);
          else transaction.addMark(selection.from, selection.to, link);
          view.dispatch(transaction.scrollIntoView());
          return true;
        }
        if (html === "" && MARKDOWN.test(text)) {
          pasteMarkdown(view, text, options);
          return true;
        }
        return false;
      },
      handleDrop(view, event) {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return false;
        event.preventDefault();
        void insertFiles(view, files, view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos ?? 0, upload);
        return true;
      },
    },
  });
}
