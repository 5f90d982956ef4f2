import { type KeyboardEvent, useRef, useState } from "react";
import {
  Button as AriaButton,
  Collection,
  DropIndicator,
  type Key,
  ListLayout,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
  Virtualizer,
} from "react-aria-components";

import { useMessages } from "../../i18n";
import { Badge, type Command, Icon, type IconName, Menu } from "../../ui";
import { allOf, type Direction, type Index, neighbour, type Node, type Spot, spotOfDrop } from "./tree";

const DIRECTIONS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" };
const ICONS: Record<Node["kind"], IconName> = { "site-section-group": "collection", "site-section": "group", "site-space": "space" };

/** The height of a row in rem. */
const ROW = 2.25;

/** Returns the size of a rem in pixels. */
function remSize(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

interface TreeProps {
  nodes: Node[];
  index: Index;
  onMove: (node: Node, spot: Spot) => void;
  onDrop: (node: Node, spot: Spot) => void;
  onOpen: (node: Node) => void;
  onRemove: (node: Node) => void;
  /** Returns the commands of an item besides those that move it. */
  commandsOf: (node: Node) => Command[];
}

/** Returns the number of rows that are shown. */
function shownCount(nodes: readonly Node[], open: ReadonlySet<Key>): number {
  return nodes.reduce((sum, { id, children }) => sum + 1 + (open.has(id) ? shownCount(children, open) : 0), 0);
}

/** The sections, groups and spaces of a site as a tree that is changed by drag, by keys and by menus. */
export function StructureTree({ nodes, index, onMove, onDrop, onOpen, onRemove, commandsOf }: TreeProps) {
  const { sites } = useMessages();
  const [closed, setClosed] = useState<ReadonlySet<Key>>(new Set());
  const [announcement, setAnnouncement] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const [layout] = useState(() => ({ rowHeight: ROW * remSize(), padding: remSize() / 4 }));
  const open = new Set<Key>([...index.values()].filter(({ node }) => node.children.length > 0 && !closed.has(node.id)).map(({ node }) => node.id));
  const hasOneSection = allOf(nodes, "site-section").length < 2;
  const isOnly = ({ id, kind }: Node) => (kind === "site-section" ? hasOneSection : (index.get(id)?.siblings.length ?? 1) < 2);
  const shown = shownCount(nodes, open);
  const dragAndDropHooks = useNodeDrag(index, onDrop);

  const focusRow = (id: string) => {
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[role="row"][data-key="${CSS.escape(id)}"]`)?.focus());
  };
  const shift = (node: Node, direction: Direction) => {
    const spot = neighbour(nodes, index, node.id, direction);
    if (!spot) return setAnnouncement(sites.cannotMove);
    onMove(node, spot);
    setAnnouncement(sites.moved(node.title));
    focusRow(node.id);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = event.target instanceof HTMLElement && event.target.matches('[role="row"]') ? event.target : null;
    const node = row ? index.get(row.dataset["key"] ?? "")?.node : undefined;
    if (!node) return;
    const direction = event.altKey && event.shiftKey ? DIRECTIONS[event.key] : undefined;
    if (direction) shift(node, direction);
    else if (event.key === "F2") onOpen(node);
    else if (event.key === "Delete") onRemove(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const allCommandsOf = (node: Node): Command[] => {
    const move = (direction: Direction, label: string, keys: string): Command => ({
      id: direction,
      label,
      keys,
      isDisabled: neighbour(nodes, index, node.id, direction) === undefined,
      run: () => shift(node, direction),
    });
    const isSpace = node.kind === "site-space";
    return [
      ...commandsOf(node),
      move("up", sites.moveUp, "Alt Shift ↑"),
      move("down", sites.moveDown, "Alt Shift ↓"),
      ...(isSpace ? [] : [move("in", sites.moveIn, "Alt Shift →"), move("out", sites.moveOut, "Alt Shift ←")]),
      { id: "remove", label: sites.remove, icon: "trash", keys: "Del", isDanger: true, run: () => onRemove(node) },
    ];
  };
  const itemOf = (node: Node) => (
    <TreeItem key={node.id} id={node.id} textValue={node.title} hasChildItems={node.children.length > 0} className="sites-item">
      <TreeItemContent>
        <Row node={node} isOnly={isOnly(node)} commands={allCommandsOf(node)} />
      </TreeItemContent>
      <Collection items={node.children} dependencies={[index]}>
        {itemOf}
      </Collection>
    </TreeItem>
  );
  return (
    <div ref={box} onKeyDownCapture={onKeyDown}>
      <Virtualizer layout={ListLayout} layoutOptions={layout}>
        <Tree
          aria-label={sites.structure}
          className="sites-tree"
          style={{ blockSize: `min(${shown * ROW + 0.625}rem, 70dvh)` }}
          items={nodes}
          dependencies={[index]}
          expandedKeys={open}
          onExpandedChange={(keys) => setClosed(new Set([...index.keys()].filter((key) => !keys.has(key))))}
          selectionMode="none"
          onAction={(key) => {
            const node = index.get(String(key))?.node;
            if (node) onOpen(node);
          }}
          dragAndDropHooks={dragAndDropHooks}
        >
          {itemOf}
        </Tree>
      </Virtualizer>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </div>
  );
}

function Row({ node, isOnly, commands }: { node: Node; isOnly: boolean; commands: Command[] }) {
  const { sites, shell } = useMessages();
  const title = node.title || shell.untitled;
  const isDefault = !isOnly && node.kind !== "site-section-group" && node.item.default === true;
  const condition = node.kind === "site-section-group" ? undefined : node.item.condition;
  return (
    <div className="sites-row">
      <AriaButton slot="drag" className="sites-row-drag" aria-label={sites.drag(title)}>
        <Icon name="drag" />
      </AriaButton>
      {node.children.length > 0 ? (
        <AriaButton slot="chevron" className="sites-row-chevron" aria-label={sites.toggle(title)}>
          <Icon name="chevron" />
        </AriaButton>
      ) : (
        <span className="sites-row-chevron" />
      )}
      <Icon name={ICONS[node.kind]} />
      <span className="sites-row-title">{title}</span>
      <span className="visually-hidden">{sites.kinds[node.kind]}</span>
      {isDefault && <Badge>{sites.isDefault}</Badge>}
      {condition === "false" && <Badge tone="warning">{sites.draft}</Badge>}
      {condition !== undefined && condition !== "" && condition !== "false" && <Badge tone="purple">{sites.conditional}</Badge>}
      <span className="grow" />
      {node.kind !== "site-section-group" && <span className="muted sites-row-path">/{node.item.path}</span>}
      <Menu label={sites.actionsOf(title)} commands={commands} />
    </div>
  );
}

function useNodeDrag(index: Index, onDrop: (node: Node, spot: Spot) => void) {
  const dragged = useRef<string>(undefined);
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ "text/plain": index.get(String(key))?.node.title ?? "", "bindery-item": String(key) })),
    onDragStart: ({ keys }) => {
      dragged.current = [...keys].map(String)[0];
    },
    getDropOperation: (target) => {
      if (target.type !== "item" || dragged.current === undefined) return "cancel";
      return spotOfDrop(index, dragged.current, String(target.key), target.dropPosition) ? "move" : "cancel";
    },
    onMove: ({ keys, target }) => {
      const id = [...keys].map(String)[0];
      const node = id === undefined ? undefined : index.get(id)?.node;
      const spot = node && spotOfDrop(index, node.id, String(target.key), target.dropPosition);
      if (node && spot) onDrop(node, spot);
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className="sites-drop" />,
  });
  return dragAndDropHooks;
}
