import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from "react-aria-components";

import { pagesQuery, type TreePage } from "../api/place";
import { useMessages } from "../i18n";

/** Maximum number of pages that are offered at once. */
const MAX_OFFERED = 50;

/** A page with its path. */
export interface PageChoice {
  id: string;
  title: string;
  path: string;
}

/** Returns the documents of a tree of pages in its order. */
export function pageChoices(pages: readonly TreePage[]): PageChoice[] {
  return pages.flatMap((page) => [
    ...(page.type === "document" ? [{ id: page.id, title: page.title, path: page.path }] : []),
    ...("pages" in page ? pageChoices(page.pages) : []),
  ]);
}

interface Props {
  organization: string;
  space: string;
  label: string;
  value: string | null;
  onChange: (page: string | null) => void;
}

/** A field that finds a page of a space by its title or its path. */
export function PagePicker({ organization, space, label, value, onChange }: Props) {
  const { sites, shell } = useMessages();
  const found = useQuery(pagesQuery({ organization, space }));
  const [typed, setTyped] = useState<string>();
  const pages = pageChoices(found.data ?? []);
  const chosen = pages.find(({ id }) => id === value);
  const text = typed ?? chosen?.title ?? "";
  const words = (typed ?? "").trim().toLocaleLowerCase();
  const offered = pages.filter(({ title, path }) => title.toLocaleLowerCase().includes(words) || path.includes(words)).slice(0, MAX_OFFERED);
  return (
    <ComboBox
      className="field"
      items={offered}
      inputValue={text}
      onInputChange={setTyped}
      value={value}
      menuTrigger="focus"
      allowsEmptyCollection
      onBlur={() => setTyped(undefined)}
      onChange={(key) => {
        setTyped(undefined);
        onChange(key === null ? null : String(key));
      }}
    >
      <Label>{label}</Label>
      <Input className="input" placeholder={sites.findPage} />
      <Popover className="popover">
        <ListBox<PageChoice> className="menu" renderEmptyState={() => <p className="sites-none">{found.isPending ? shell.loading : sites.noPageFound}</p>}>
          {({ id, title, path }) => (
            <ListBoxItem id={id} textValue={title || shell.untitled} className="menu-item">
              <Text slot="label">{title || shell.untitled}</Text>
              <Text slot="description">/{path}</Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
