import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "../api/client";
import { collectionsQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { sitesQuery } from "../sites/queries";
import { type Option, Select } from "../ui";

type Content = Schemas["OrganizationDefaultContent"];

/** Returns a text for a content, such as `space/x`; it is empty for none. */
export function contentKey(content: Content | undefined): string {
  if (content === undefined) return "";
  if (content.type === "space") return `space/${content.space}`;
  return content.type === "site" ? `site/${content.site}` : `collection/${content.collection}`;
}

/** Returns the content of a text that `contentKey` made. */
export function contentOf(key: string): Content | null {
  const [type, id = ""] = key.split("/");
  switch (type) {
    case "space":
      return { type, space: id };
    case "site":
      return { type, site: id };
    case "collection":
      return { type, collection: id };
    default:
      return null;
  }
}

interface Props {
  organization: string;
  value: string;
  onChange: (value: string) => void;
}

/** A choice of a space, a collection or a site. */
export function ContentSelect({ organization, value, onChange }: Props) {
  const { settings, shell } = useMessages();
  const spaces = useQuery(spacesQuery(organization)).data ?? [];
  const collections = useQuery(collectionsQuery(organization)).data ?? [];
  const sites = useQuery(sitesQuery(organization)).data ?? [];
  const options: Option[] = [
    { id: "", label: settings.none },
    ...spaces.map(({ id, title }) => ({ id: `space/${id}`, label: settings.spaceNamed(title || shell.untitled) })),
    ...collections.map(({ id, title }) => ({ id: `collection/${id}`, label: settings.collectionNamed(title || shell.untitled) })),
    ...sites.map(({ id, title }) => ({ id: `site/${id}`, label: settings.siteNamed(title) })),
  ];
  if (!options.some(({ id }) => id === value)) options.push({ id: value, label: settings.deletedContent });
  return <Select label={settings.defaultContent} description={settings.defaultContentHint} options={options} value={value} onChange={onChange} />;
}
