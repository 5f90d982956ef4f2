import { createContext, type ReactNode, use, useMemo } from "react";

import { useLanguage, useMessages } from "../i18n";
import { colourOf } from "../people/colour";
import { Avatar } from "../ui";
import { type PeopleByPage, peopleBelow, type User } from "./people-by-page";
import type { TreeIndex } from "./tree";

/** Maximum number of people that a row shows; a number stands for the others. */
const MOST = 3;

const NOBODY: readonly User[] = [];

/** The other people on the pages, and on those below each page. */
interface Others {
  here: PeopleByPage;
  below: PeopleByPage;
}

const OthersContext = createContext<Others>({ here: new Map(), below: new Map() });

/** Provides the rows of the tree with the people on the pages, apart from what else they share. */
export function PeopleInTree({ others: here, index, children }: { others: PeopleByPage; index: TreeIndex; children: ReactNode }) {
  const value = useMemo(() => ({ here, below: peopleBelow(here, index) }), [here, index]);
  return <OthersContext value={value}>{children}</OthersContext>;
}

/** Shows in a row of the tree who else is on the page, and below it if the branch is closed. */
export function PeopleThere({ page, isClosed }: { page: string; isClosed: boolean }) {
  const { space } = useMessages();
  const { language } = useLanguage();
  const others = use(OthersContext);
  const here = others.here.get(page) ?? NOBODY;
  const below = ((isClosed && others.below.get(page)) || NOBODY).filter(({ id }) => !here.some((one) => one.id === id));
  const all = [...here, ...below];
  if (all.length === 0) return null;
  const names = (people: readonly User[]) => new Intl.ListFormat(language).format(people.map(({ displayName }) => displayName));
  const texts = [
    ...(here.length > 0 ? [space.writesHere(names(here), here.length)] : []),
    ...(below.length > 0 ? [space.writesBelow(names(below), below.length)] : []),
  ];
  return (
    <span className="space-row-people" title={texts.join("\n")}>
      {all.slice(0, MOST).map(({ id, displayName, photoURL }, at) => (
        <span key={id} className="space-row-person" data-colour={colourOf(id)} data-below={at >= here.length || undefined}>
          <Avatar name={displayName} url={photoURL} />
        </span>
      ))}
      {all.length > MOST && (
        <span className="space-row-more" aria-hidden="true">
          +{all.length - MOST}
        </span>
      )}
      {texts.map((text) => (
        <span key={text} className="visually-hidden">
          {text}
        </span>
      ))}
    </span>
  );
}
