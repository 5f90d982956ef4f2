import { useId, useState } from "react";

import { useMessages } from "../i18n";
import { Button } from "../ui";
import { type FlatPage, matching } from "./pages";
import type { Ref } from "./view-parts";

/** Returns what is meant by a typed address. */
export function refOf(text: string): Ref {
  const url = text.trim();
  return { kind: "url", url: /^[\w-]+(\.[\w-]+)+([/?#]|$)/.test(url) ? `https://${url}` : url };
}

/** A field for an address or the title of a page, with the pages that match below it. */
export function LinkForm({ pages, value, onDone, onCancel }: { pages: readonly FlatPage[]; value: string; onDone: (ref: Ref) => void; onCancel: () => void }) {
  const { editor } = useMessages();
  const [text, setText] = useState(value);
  const [at, setAt] = useState(-1);
  const id = useId();
  const isAddress = /^(https?:|mailto:|\/|#)/.test(text.trim());
  const found = text.trim() === "" || isAddress ? [] : matching(pages, text, 6);
  const choose = (page: FlatPage | undefined) => {
    if (page) onDone({ kind: "page", page: page.id });
    else if (text.trim()) onDone(refOf(text));
    else onCancel();
  };
  return (
    <form
      className="editor-link-form"
      onSubmit={(event) => {
        event.preventDefault();
        const exact = found.find(({ label }) => label.toLocaleLowerCase() === text.trim().toLocaleLowerCase());
        choose(found[at] ?? exact);
      }}
      onKeyDown={(event) => {
        const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
        if (event.key === "Escape") onCancel();
        else if (step !== 0 && found.length > 0) setAt((at + step + found.length) % found.length);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div className="row">
        <input
          className="input grow"
          role="combobox"
          aria-label={editor.linkAddress}
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
          placeholder={editor.linkAddress}
          value={text}
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setText(event.target.value);
            setAt(-1);
          }}
        />
        <Button type="submit" isSmall>
          {editor.applyLink}
        </Button>
      </div>
      <div id={id} role="listbox" aria-label={editor.links} hidden={found.length === 0}>
        {found.map((page, index) => (
          <div
            key={page.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="menu-item"
            data-focused={index === at || undefined}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(page)}
          >
            <span className="grow">{page.label}</span>
            {page.detail && <small className="muted">{page.detail}</small>}
          </div>
        ))}
      </div>
    </form>
  );
}
