import type { ReactNode } from "react";

import { useMessages } from "../../i18n";

interface Props<T> {
  title: string;
  hint?: string;
  list: { count: number; items: T[] };
  render: (item: T) => ReactNode;
}

/** A list in the result of a dry run; nothing if it is empty. */
export function DryRunList<T>({ title, hint, list, render }: Props<T>) {
  const { git } = useMessages().spaceSettings;
  if (list.count === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      {hint !== undefined && <p className="hint-text">{hint}</p>}
      <ul className="list settings-scroll" tabIndex={0} aria-label={title}>
        {list.items.map((item, at) => (
          <li key={at} className="people-wrap">
            {render(item)}
          </li>
        ))}
      </ul>
      {list.count > list.items.length && <p className="hint-text">{git.first(list.items.length)}</p>}
    </section>
  );
}
