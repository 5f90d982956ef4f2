import { useMessages } from "../i18n";
import { colourOf } from "../people/colour";
import { Avatar } from "../ui";
import type { Person } from "./carets";

/** Maximum number of people that are shown; a number stands for the others. */
const MOST = 5;

interface Props {
  people: readonly Person[];
  followed: string | undefined;
  onFollow: (client: string | undefined) => void;
}

/** Shows who else writes the page. A press on a person follows them. */
export default function PeopleHere({ people, followed, onFollow }: Props) {
  const { editor } = useMessages();
  const more = people.length - MOST;
  return (
    <ul className="editor-people" aria-label={editor.alsoHere}>
      {people.slice(0, MOST).map(({ client, user, name }) => (
        <li key={client}>
          <button
            type="button"
            className="editor-person"
            data-colour={colourOf(user)}
            aria-pressed={followed === client}
            aria-label={editor.follow(name)}
            title={editor.follow(name)}
            onClick={() => onFollow(followed === client ? undefined : client)}
          >
            <Avatar name={name} />
          </button>
        </li>
      ))}
      {more > 0 && <li className="muted">+{more}</li>}
    </ul>
  );
}
