import { createContext, type SyntheticEvent, use } from "react";
import { Button as AriaButton } from "react-aria-components";

import type { TreePage } from "../api/place";
import { useMessages } from "../i18n";
import { type Command, Icon, type IconName } from "../ui";
import { emojiText } from "./emoji-text";
import { PageIcon } from "./icon-picker";
import type { PageActions } from "./page-actions";
import { PeopleThere } from "./people-there";
import { canContain, endOfChildren, isHidden, neighbour, specOf, type Spot, type TreeIndex } from "./tree";

/** The state that the rows of the tree share. */
export interface RowContext {
  index: TreeIndex;
  actions: PageActions;
  /** The page that is open. */
  current: string | undefined;
  canEdit: boolean;
  onRename: (page: TreePage) => void;
  onNewLink: (spot: Spot) => void;
  onOptions: (page: TreePage) => void;
  /** The page whose menu is open. */
  menu: string | undefined;
  onMenu: (page: TreePage, button: HTMLElement) => void;
}

/** Provides the rows of the tree with what they share, so that they need not be built anew. */
export const Rows = createContext<RowContext | null>(null);

const ICONS: Record<TreePage["type"], IconName> = { document: "page", group: "group", link: "link", computed: "code" };

/** The content of one row of the tree. */
export function PageRow({ page, isExpandable, isOpen }: { page: TreePage; isExpandable: boolean; isOpen: boolean }) {
  const { space } = useMessages();
  const rows = use(Rows);
  // The page of a source has no title that readers see.
  const title = (page.type === "computed" && specOf(page)) || page.title || space.untitled;
  const isMade = rows?.index.get(page.id)?.isMade === true;
  const emoji = emojiText(page.emoji);
  const hidden = isHidden(page);
  const isCurrent = rows?.current === page.id;
  return (
    <div className={`space-row space-row-${page.type}`} data-current={isCurrent || undefined}>
      {isExpandable ? (
        <AriaButton slot="chevron" className="space-row-chevron" aria-label={space.toggle(title)}>
          <Icon name="chevron" />
        </AriaButton>
      ) : (
        <span className="space-row-chevron" />
      )}
      {page.type !== "group" && (emoji ? <span className="space-row-emoji">{emoji}</span> : page.icon ? <PageIcon name={page.icon} /> : <Icon name={ICONS[page.type]} />)}
      <span className="space-row-title" aria-current={isCurrent ? "page" : undefined}>
        {title}
      </span>
      {hidden && (
        <span className="space-row-mark">
          <Icon name="hidden" />
          <span className="visually-hidden">{space.hidden}</span>
        </span>
      )}
      {isMade && page.type === "document" && (
        <span className="space-row-mark" title={space.made}>
          <Icon name="code" />
          <span className="visually-hidden">{space.made}</span>
        </span>
      )}
      <PeopleThere page={page.id} isClosed={isExpandable && !isOpen} />
      {page.type !== "document" && <span className="visually-hidden">{page.type === "group" ? space.group : page.type === "link" ? space.link : space.source}</span>}
      {rows?.canEdit && <AriaButton slot="drag" className="space-row-drag" aria-label={space.drag(title)} />}
      {rows && <MenuButton page={page} rows={rows} />}
    </div>
  );
}

/** Keeps the row from taking a press on the button for its own. */
function stop(event: SyntheticEvent): void {
  event.stopPropagation();
}

/** The button of a row that opens the menu of the tree, which all rows share to stay cheap. */
function MenuButton({ page, rows }: { page: TreePage; rows: RowContext }) {
  const { shell } = useMessages();
  return (
    <button
      type="button"
      className="icon-button"
      aria-haspopup="menu"
      aria-expanded={rows.menu === page.id}
      aria-label={shell.moreActions}
      onPointerDown={stop}
      onMouseDown={stop}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") event.stopPropagation();
      }}
      onClick={(event) => {
        event.stopPropagation();
        rows.onMenu(page, event.currentTarget);
      }}
    >
      <Icon name="more" />
    </button>
  );
}

/** Returns the commands of a page. */
export function useCommands(page: TreePage, { index, actions, canEdit, onRename, onNewLink, onOptions }: RowContext): Command[] {
  const { space, shell } = useMessages();
  const open: Command[] = page.type === "group" ? [] : [{ id: "open", label: space.openPage, icon: "page", run: () => actions.open(page) }];
  const link: Command = { id: "link", label: space.copyLink, icon: "link", run: () => void actions.copyLink(page) };
  if (!canEdit) return [...open, link];
  if (index.get(page.id)?.isMade === true) {
    const source = actions.sourceOf(page);
    if (!source) return [...open, link];
    const label = space.deleteSource(specOf(source) ?? source.title);
    return [...open, link, { id: "delete", label, icon: "trash", isDanger: true, run: () => void actions.remove(source) }];
  }
  const remove: Command = { id: "delete", label: shell.delete, icon: "trash", keys: "Del", isDanger: true, run: () => void actions.remove(page) };
  const shift = (direction: "up" | "down" | "in" | "out", label: string, keys: string): Command => ({
    id: direction,
    label,
    keys,
    isDisabled: neighbour(index, page.id, direction) === undefined,
    run: () => void actions.shift(page, direction),
  });
  const moves = [
    shift("up", space.moveUp, "Alt Shift ↑"),
    shift("down", space.moveDown, "Alt Shift ↓"),
    shift("in", space.moveIn, "Alt Shift →"),
    shift("out", space.moveOut, "Alt Shift ←"),
  ];
  if (page.type === "computed") return [...open, ...moves, link, remove];
  return [
    ...open,
    { id: "rename", label: shell.rename, icon: "edit", keys: "F2", run: () => onRename(page) },
    ...(canContain(page)
      ? [
          { id: "new", label: space.newPageInside, icon: "plus" as const, run: () => void actions.insert(endOfChildren(page)) },
          { id: "new-link", label: space.newLinkInside, icon: "link" as const, run: () => onNewLink(endOfChildren(page)) },
        ]
      : []),
    ...(page.type === "document"
      ? [{ id: "duplicate", label: shell.duplicate, icon: "copy" as const, run: () => void actions.duplicate(page) }]
      : []),
    ...moves,
    {
      id: "hide",
      label: isHidden(page) ? space.show : space.hide,
      icon: isHidden(page) ? "eye" : "hidden",
      run: () => actions.toggleHidden(page),
    },
    { id: "options", label: space.options, icon: "settings", run: () => onOptions(page) },
    link,
    remove,
  ];
}
