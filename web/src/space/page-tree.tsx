import { createContext, type KeyboardEvent, use, useEffect, useMemo, useRef, useState } from "react";
import { Collection, type Key, ListLayout, Menu, MenuItem, Popover, Text, Tree, TreeItem, TreeItemContent, Virtualizer } from "react-aria-components";

import type { TreePage } from "../api/place";
import { useMessages } from "../i18n";
import { Button, Icon, IconButton, Menu as CommandMenu } from "../ui";
import type { NewNavigationPage } from "./new-navigation-page";
import type { PageActions } from "./page-actions";
import { PageRow, type RowContext, Rows, useCommands } from "./page-row";
import { RememberedRows } from "./remembered-rows";
import { RenameField } from "./rename-field";
import { ancestorsOf, childrenOf, type Direction, rowOf, type Spot, type TreeIndex } from "./tree";
import { usePageDrag } from "./use-page-drag";

/** The height of a row in pixels, the same as in the style sheet. */
const ROW_HEIGHT = 30;

const LAYOUT = { rowSize: ROW_HEIGHT };

const DIRECTIONS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" };

/** The open branches of the trees while the window lives, by spaces. */
const openBranches = new Map<string, ReadonlySet<Key>>();

/** Returns the open branches of a tree; those around the open page and all groups are open at first. */
function useBranches(space: string, pages: readonly TreePage[], index: TreeIndex, current: string | undefined) {
  const [open, setOpen] = useState<ReadonlySet<Key>>(
    () => openBranches.get(space) ?? new Set(pages.filter(({ type }) => type === "group").map(({ id }) => id)),
  );
  const [shown, setShown] = useState<string>();
  const change = (keys: ReadonlySet<Key>) => {
    openBranches.set(space, keys);
    setOpen(keys);
  };
  if (shown !== current && current !== undefined && index.has(current)) {
    setShown(current);
    const around = ancestorsOf(index, current).filter(({ id }) => !open.has(id));
    if (around.length > 0) change(new Set([...open, ...around.map(({ id }) => id)]));
  }
  return [open, change] as const;
}

const Branches = createContext<ReadonlySet<Key>>(new Set());

function treeItem(page: TreePage) {
  return <PageItem page={page} />;
}

/**
 * A row of the tree; the rows below it exist while its branch is open. The first one always does,
 * because keys open only a row that has another one below it.
 */
function PageItem({ page }: { page: TreePage }) {
  const { space } = useMessages();
  const isOpen = use(Branches).has(page.id);
  const children = childrenOf(page);
  return (
    <TreeItem id={page.id} textValue={page.title || space.untitled} hasChildItems={children.length > 0} className="space-item">
      <TreeItemContent>
        <PageRow page={page} isExpandable={children.length > 0} isOpen={isOpen} />
      </TreeItemContent>
      <Collection items={isOpen ? children : children.slice(0, 1)}>{treeItem}</Collection>
    </TreeItem>
  );
}

/** The menu of a page, beside the button of its row. */
function RowMenu({ page, rows, button, onClose }: { page: TreePage; rows: RowContext; button: HTMLElement; onClose: () => void }) {
  const { shell } = useMessages();
  const trigger = useRef(button);
  trigger.current = button;
  const commands = useCommands(page, rows);
  return (
    <Popover
      className="popover"
      placement="bottom end"
      aria-label={shell.moreActions}
      isOpen
      triggerRef={trigger}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Menu className="menu" aria-label={shell.moreActions} autoFocus="first" onClose={onClose}>
        {commands.map(({ id, label, icon, keys, isDanger, isDisabled, run }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={label}
            isDisabled={isDisabled ?? false}
            className={isDanger ? "menu-item menu-danger" : "menu-item"}
            {...(run && { onAction: run })}
          >
            {icon && <Icon name={icon} />}
            <Text slot="label">{label}</Text>
            {keys && <kbd className="keys">{keys}</kbd>}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}

export interface PageTreeProps {
  space: string;
  pages: readonly TreePage[];
  index: TreeIndex;
  actions: PageActions;
  current: string | undefined;
  canEdit: boolean;
  onNewLink: (spot: Spot) => void;
  onOptions: (page: TreePage) => void;
}

/** The tree of pages: it opens, renames, moves and deletes them, with keys as well. */
export function PageTree({ space: spaceId, pages, index, actions, current, canEdit, onNewLink, onOptions }: PageTreeProps) {
  const { space } = useMessages();
  const [open, setOpen] = useBranches(spaceId, pages, index, current);
  const [renaming, setRenaming] = useState<string>();
  const [menu, setMenu] = useState<{ page: string; button: HTMLElement }>();
  const [announcement, setAnnouncement] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const dragAndDropHooks = usePageDrag(index, actions, canEdit);
  const menuPage = menu && index.get(menu.page)?.page;
  const renamed = renaming === undefined ? undefined : index.get(renaming)?.page;

  useEffect(() => {
    const list = box.current?.querySelector(".space-tree-list");
    const row = current === undefined ? -1 : rowOf(pages, open, current);
    if (!list || row < 0) return;
    const [top, bottom] = [row * ROW_HEIGHT, (row + 1) * ROW_HEIGHT];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight / 2;
    // Only another page moves the tree, not a branch that is opened or a page that is moved.
  }, [current]);

  const focusRow = (id: string) => {
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[role="row"][data-key="${CSS.escape(id)}"]`)?.focus());
  };

  const shift = (page: TreePage, direction: Direction) => {
    const before = direction === "in" ? index.get(page.id)?.siblings[(index.get(page.id)?.position ?? 0) - 1] : undefined;
    if (!actions.shift(page, direction)) return setAnnouncement(space.cannotMove);
    if (before) setOpen(new Set([...open, before.id]));
    setAnnouncement(space.announceMoved(page.title, (index.get(page.id)?.position ?? 0) + 1, index.get(page.id)?.siblings.length ?? 0));
    focusRow(page.id);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[role="row"][data-key]');
    const page = row && event.currentTarget.contains(row) ? index.get(row.dataset["key"] ?? "")?.page : undefined;
    if (!page || !canEdit || index.get(page.id)?.isMade === true) return;
    const direction = event.altKey && event.shiftKey ? DIRECTIONS[event.key] : undefined;
    if (direction) shift(page, direction);
    else if (event.key === "F2" && page.type !== "computed") setRenaming(page.id);
    else if (event.key === "Delete") void actions.remove(page);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const rows = useMemo(
    () => ({
      index,
      actions,
      current,
      canEdit,
      onNewLink,
      onOptions,
      onRename: ({ id }: TreePage) => setRenaming(id),
      menu: menu?.page,
      onMenu: ({ id }: TreePage, button: HTMLElement) => setMenu({ page: id, button }),
    }),
    [index, actions, current, canEdit, onNewLink, onOptions, menu],
  );

  const activate = (key: Key) => {
    const page = index.get(String(key))?.page;
    if (!page) return;
    if (page.type !== "group") return actions.open(page);
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };

  return (
    <div className="space-tree" ref={box} onKeyDownCapture={onKeyDown}>
      <Rows value={rows}>
        <Branches value={open}>
          <Virtualizer layout={ListLayout} layoutOptions={LAYOUT}>
            <RememberedRows>
              <Tree
                aria-label={space.pages}
                className="space-tree-list"
                items={pages}
                expandedKeys={open}
                onExpandedChange={setOpen}
                selectionMode="none"
                onAction={activate}
                dragAndDropHooks={dragAndDropHooks}
              >
                {treeItem}
              </Tree>
            </RememberedRows>
          </Virtualizer>
        </Branches>
        {menuPage && menu && <RowMenu page={menuPage} rows={rows} button={menu.button} onClose={() => setMenu(undefined)} />}
      </Rows>
      {renamed && (
        <RenameField
          page={renamed}
          box={box}
          onEnd={(title) => {
            setRenaming(undefined);
            if (title !== undefined && title !== "" && title !== renamed.title) actions.rename(renamed, title);
            focusRow(renamed.id);
          }}
        />
      )}
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </div>
  );
}

interface TreeHeadProps extends Pick<PageTreeProps, "pages" | "actions" | "canEdit"> {
  onNew: (made: NewNavigationPage) => void;
  /** Called to close the tree where it covers the page. */
  onClose: () => void;
}

/** The head of the tree with the buttons for new pages, groups and links. */
export function TreeHead({ pages, actions, canEdit, onNew, onClose }: TreeHeadProps) {
  const { space } = useMessages();
  const spot = { into: null, at: pages.length };
  return (
    <div className="space-tree-head">
      <h2>{space.pages}</h2>
      {canEdit && (
        <>
          <Button kind="quiet" isSmall icon="plus" onPress={() => void actions.insert(spot)}>
            {space.newPage}
          </Button>
          <CommandMenu
            label={space.newOther}
            icon="down"
            commands={[
              { id: "group", label: space.newGroup, icon: "group", run: () => onNew({ type: "group", spot }) },
              { id: "link", label: space.newLink, icon: "link", run: () => onNew({ type: "link", spot }) },
            ]}
          />
        </>
      )}
      <span className="space-tree-button">
        <IconButton icon="close" label={space.closePages} onPress={onClose} />
      </span>
    </div>
  );
}
