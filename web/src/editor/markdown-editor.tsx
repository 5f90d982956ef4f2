import { useEffect, useLayoutEffect, useRef } from "react";

import { useMessages } from "../i18n";
import { notify } from "../ui";
import { startSaver, type SurfaceProps } from "./block-editor";
import { createMarkdownView } from "./markdown-view";
import { bodyOf, markdownSurface } from "./markdown-surface";

/** Shows the Markdown of a page, which can be edited like its blocks. */
export default function MarkdownEditor(props: SurfaceProps & { markdown: string }) {
  const { pageId, canEdit, isLocked, draft, saver, focus } = props;
  const { editor } = useMessages();
  const mount = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useLayoutEffect(() => {
    if (!mount.current) return;
    const { current } = latest;
    const base = draft?.text?.base ?? bodyOf(current.markdown);
    const shown = draft?.text?.markdown ?? base;
    const view = createMarkdownView(mount.current, {
      text: shown,
      label: editor.markdownOf,
      isEditable: () => canEdit && !latest.current.isLocked,
      words: editor.markdownWords,
      onChange: () => saver.current?.changed(),
      onBlur: () => void saver.current?.flush(),
    });
    const surface = markdownSurface(base, {
      read: () => view.text(),
      replace(text, hasConflicts) {
        view.replace(text);
        notify(hasConflicts ? editor.overwritten : editor.merged);
      },
    });
    focus.current = () => view.focus();
    if (canEdit) saver.current = startSaver(latest.current, surface, () => latest.current.begin);
    const ended = saver.current;
    view.focus();
    return () => {
      ended?.dispose();
      saver.current = null;
      view.destroy();
    };
    // The view lives as long as the page is shown.
  }, [pageId, canEdit]);

  return <div ref={mount} className="editor-markdown" data-locked={isLocked || undefined} />;
}
