import { useMessages } from "../i18n";
import { colourOf } from "../people/colour";
import { Avatar } from "../ui";
import type { Person } from "./carets";

/** Maximum number of people that are shown; a number stands for the others. */
const MOST = 5;

interface Props {
  people: readonly Person[];
  /** The window that this one follows. */
  followed: string | undefined;
  onFollow: (person: Person | undefined) => void;
}

/** Shows who else writes the page. A press on a person follows them. */
export default function PeopleHere({ people, followed, onFollow }: Props) {
  const { editor } = useMessages();
  const more = people.length - MOST;
  return (
    <ul className="editor-people" aria-label={editor.alsoHere}>
      {people.slice(0, MOST).map((person) => (
        <li key={person.client}>
          <button
            type="button"
            className="editor-person"
            data-colour={colourOf(person.user)}
            aria-pressed={followed === person.client}
            aria-label={editor.follow(person.name)}
            title={followed === person.client ? editor.following(person.name) : editor.follow(person.name)}
            onClick={() => onFollow(followed === person.client ? undefined : person)}
          >
            <Avatar name={person.name} />
            {followed === person.client && (
              <span className="editor-followed" aria-hidden="true">
                {editor.following(person.name)}
              </span>
            )}
          </button>
        </li>
      ))}
      {more > 0 && <li className="muted">+{more}</li>}
    </ul>
  );
}
