import { type ReactNode, useState } from "react";

import { useMessages } from "../../i18n";
import { Button, IconButton, TextField } from "../../ui";
import type { ContentLink } from "./model";
import { TargetField } from "./target-field";

interface ListProps<T> {
  items: readonly T[];
  onChange: (items: T[]) => void;
  /** Returns the name of an item. */
  nameOf: (item: T) => string;
  /** Returns a new item. */
  make: () => T;
  /** The name of the button that adds an item. */
  addLabel: string;
  children: (item: T, set: (item: T) => void) => ReactNode;
}

/** A list of items that are opened, moved, removed and added. */
export function ItemList<T>({ items, onChange, nameOf, make, addLabel, children }: ListProps<T>) {
  const { sites, shell } = useMessages();
  const [open, setOpen] = useState<number>();
  const swap = (at: number, to: number) => {
    const next = [...items];
    const [one, other] = [next[at], next[to]];
    if (one === undefined || other === undefined) return;
    next[at] = other;
    next[to] = one;
    onChange(next);
    if (open === at) setOpen(to);
  };
  return (
    <div className="sites-items">
      {items.map((item, at) => {
        const name = nameOf(item) || shell.untitled;
        return (
          <div key={at} className="sites-one">
            <div className="sites-one-head">
              <span className="sites-one-name">{name}</span>
              <IconButton icon="down" label={sites.moveDownNamed(name)} isDisabled={at === items.length - 1} onPress={() => swap(at, at + 1)} />
              <IconButton
                icon={open === at ? "check" : "edit"}
                label={open === at ? sites.closeNamed(name) : sites.editNamed(name)}
                aria-expanded={open === at}
                onPress={() => setOpen(open === at ? undefined : at)}
              />
              <IconButton
                icon="trash"
                label={sites.removeNamed(name)}
                onPress={() => {
                  setOpen(undefined);
                  onChange(items.filter((_, position) => position !== at));
                }}
              />
            </div>
            {open === at && <div className="stack sites-one-body">{children(item, (changed) => onChange(items.map((one, position) => (position === at ? changed : one))))}</div>}
          </div>
        );
      })}
      <Button
        isSmall
        icon="plus"
        onPress={() => {
          onChange([...items, make()]);
          setOpen(items.length);
        }}
      >
        {addLabel}
      </Button>
    </div>
  );
}

/** A list of links with titles. */
export function LinkList({ links, onChange, addLabel }: { links: readonly ContentLink[]; onChange: (links: ContentLink[]) => void; addLabel: string }) {
  return (
    <ItemList items={links} onChange={onChange} nameOf={({ title }) => title} addLabel={addLabel} make={(): ContentLink => ({ title: "", to: { kind: "url", url: "https://" } })}>
      {(link, set) => <LinkFields link={link} onChange={set} />}
    </ItemList>
  );
}

/** The fields of a link with a title. */
export function LinkFields({ link, onChange }: { link: ContentLink; onChange: (link: ContentLink) => void }) {
  const { sites } = useMessages();
  return (
    <>
      <TextField label={sites.itemTitle} value={link.title} onChange={(title) => onChange({ ...link, title })} maxLength={64} isRequired />
      <TargetField value={link.to} onChange={(to) => onChange({ ...link, to })} />
    </>
  );
}
