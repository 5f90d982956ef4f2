import { useState } from "react";

import { useMessages } from "../i18n";
import { IconButton } from "../ui";
import type { Beside } from "./beside";
import { placeOf } from "./beside-list";
import { markType } from "./keys";
import { LinkForm } from "./link-form";
import type { MenuProps } from "./menus";
import type { Ref } from "./view-parts";

/** Shows the target of the link at the cursor, and changes, opens or removes it. */
export function LinkBar({ view, link, pages, onOpen, onClose }: MenuProps & { link: NonNullable<Beside["link"]> }) {
  const { editor } = useMessages();
  const [isEditing, setIsEditing] = useState(false);
  const { from, to, anchor } = link;
  const type = markType("link");
  const mark = view.state.doc.nodeAt(from)?.marks.find((one) => one.type === type);
  if (!mark) return null;
  const ref = mark.attrs["ref"] as Ref;
  const title = pages.find(({ id }) => id === ref.page)?.label;
  const set = (next: Ref | undefined) => {
    const transaction = view.state.tr.removeMark(from, to, type);
    if (next) transaction.addMark(from, to, type.create({ ref: next, key: mark.attrs["key"] as string | null }));
    view.dispatch(transaction);
    onClose();
    view.focus();
  };
  return (
    <div className="popover editor-toolbar editor-link-bar" style={placeOf(anchor, 120)} role="toolbar" aria-label={editor.link}>
      {isEditing ? (
        <LinkForm
          pages={pages}
          value={title ?? ref.url ?? ""}
          onDone={set}
          onCancel={() => {
            setIsEditing(false);
            view.focus();
          }}
        />
      ) : (
        <>
          <span className="editor-link-target">{title ?? ref.url ?? ref.file ?? ref.kind}</span>
          <IconButton icon="edit" label={editor.changeLink} onPress={() => setIsEditing(true)} />
          <IconButton icon="out" label={editor.openLink} onPress={() => onOpen(ref, true)} />
          <IconButton icon="close" label={editor.removeLink} onPress={() => set(undefined)} />
        </>
      )}
    </div>
  );
}
