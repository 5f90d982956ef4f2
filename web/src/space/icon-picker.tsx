import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { useMessages } from "../i18n";
import { BASE } from "../shell/app";
import { Icon } from "../ui";
import { SignPicker } from "./sign-picker";

/** Maximum number of icons that are shown at once. */
const MAX_SHOWN = 72;

/** The names of all icons. The server has them beside the API, as it has the drawings. */
const namesQuery = {
  queryKey: ["icons"],
  staleTime: Infinity,
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const answer = await fetch(`${BASE}/icons/names.txt`, { signal });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return (await answer.text()).split("\n");
  },
};

/** The drawing of a page's icon, in the colour of the text. */
export function PageIcon({ name }: { name: string }) {
  const drawing = `url("${BASE}/icons/${encodeURIComponent(name)}.svg")`;
  return <span className="space-icon" aria-hidden style={{ maskImage: drawing }} />;
}

/** Returns the names that hold a text, those that begin with it first. */
export function matchingNames(names: readonly string[], asked: string): string[] {
  const text = asked.trim().toLowerCase().replaceAll(" ", "-");
  const first = names.filter((name) => name.startsWith(text));
  return [...first, ...names.filter((name) => !name.startsWith(text) && name.includes(text))].slice(0, MAX_SHOWN);
}

function useIcons(asked: string) {
  const names = useQuery(namesQuery).data;
  return useMemo(() => matchingNames(names ?? [], asked).map((name) => ({ id: name, name, content: <PageIcon name={name} /> })), [names, asked]);
}

interface Props {
  icon: string | undefined;
  isDisabled: boolean;
  /** Called with the name of the chosen icon, or with an empty text to remove it. */
  onChange: (icon: string) => void;
}

/** A button that shows the icon of a page and opens a window to choose another one by its name. */
export function IconPicker({ icon, isDisabled, onChange }: Props) {
  const { space } = useMessages();
  const texts = { label: space.icon, choose: space.chooseIcon, search: space.iconSearch, none: space.iconNone, remove: space.removeIcon };
  const present = icon ? { id: icon, name: icon, content: <PageIcon name={icon} /> } : undefined;
  return <SignPicker texts={texts} present={present} placeholder={<Icon name="page" />} isDisabled={isDisabled} useFound={useIcons} onChange={onChange} />;
}
