import { useEffect, useRef } from "react";

import { useMessages } from "../i18n";
import { isNewPage } from "../space/new-page";

interface HeadProps {
  title: string;
  description: string;
  canEdit: boolean;
  onTitle: (title: string) => void;
  onDescription: (description: string) => void;
  /** Goes on into the text. */
  onEnter: () => void;
}

/** The title and the description of a page. */
export function Head({ title, description, canEdit, onTitle, onDescription, onEnter }: HeadProps) {
  const { editor } = useMessages();
  const titleField = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!canEdit || !isNewPage()) return;
    titleField.current?.select();
    // Loading the window again is no new page.
    history.replaceState(null, "");
  }, [canEdit]);
  const leave = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, value } = event.currentTarget;
    const isDown = event.key === "ArrowDown" && selectionStart === value.length;
    if (event.key !== "Enter" && !isDown) return;
    event.preventDefault();
    onEnter();
  };
  if (!canEdit) {
    return (
      <header className="editor-head">
        <h1 className="editor-title">{title || editor.untitled}</h1>
        {description && <p className="editor-description">{description}</p>}
      </header>
    );
  }
  return (
    <header className="editor-head">
      <h1 className="visually-hidden">{title || editor.untitled}</h1>
      <textarea
        ref={titleField}
        className="editor-title"
        aria-label={editor.title}
        placeholder={editor.untitled}
        rows={1}
        value={title}
        onChange={(event) => onTitle(event.target.value.replace(/\n/g, " "))}
        onKeyDown={leave}
      />
      <textarea
        className="editor-description"
        aria-label={editor.description}
        placeholder={editor.addDescription}
        rows={1}
        value={description}
        onChange={(event) => onDescription(event.target.value.replace(/\n/g, " "))}
        onKeyDown={leave}
      />
    </header>
  );
}
