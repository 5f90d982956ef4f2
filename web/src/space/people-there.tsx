import { createContext, use } from "react";

import { useLanguage, useMessages } from "../i18n";
import { colourOf } from "../people/colour";
import { Avatar } from "../ui";
import type { PeopleByPage } from "./people-by-page";

/** Maximum number of people that a row shows; a number stands for the others. */
const MOST = 3;

/** Provides the rows of the tree with the people on the pages, apart from what else they share. */
export const Others = createContext<PeopleByPage>(new Map());

/** Shows in a row of the tree who else is on the page. */
export function PeopleThere({ page }: { page: string }) {
  const { space } = useMessages();
  const { language } = useLanguage();
  const others = use(Others).get(page);
  if (!others) return null;
  const names = new Intl.ListFormat(language).format(others.map(({ displayName }) => displayName));
  const text = space.writesHere(names, others.length);
  return (
    <span className="space-row-people" title={text}>
      {others.slice(0, MOST).map(({ id, displayName, photoURL }) => (
        <span key={id} className="space-row-person" data-colour={colourOf(id)}>
          <Avatar name={displayName} url={photoURL} />
        </span>
      ))}
      {others.length > MOST && (
        <span className="space-row-more" aria-hidden="true">
          +{others.length - MOST}
        </span>
      )}
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
