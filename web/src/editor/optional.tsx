import { type ComponentType, Suspense, useEffect, useState } from "react";

import { Later } from "./later";

/** Milliseconds between two attempts to load a part. */
const RETRY = 3_000;

/**
 * Returns a component that shows nothing until its code is there. Unlike that of `lazy`, it does not
 * take the text with it if the network is gone, and tries again.
 */
export function optional<P extends object>(read: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  const part = new Later(read);
  return (props) => {
    const [Part, setPart] = useState<ComponentType<P> | undefined>(() => part.now?.default);
    useEffect(() => {
      if (Part) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isShown = true;
      const load = () =>
        part.load().then(
          (found) => isShown && setPart(() => found.default),
          () => {
            if (isShown) timer = setTimeout(load, RETRY);
          },
        );
      void load();
      return () => {
        isShown = false;
        clearTimeout(timer);
      };
    }, [Part]);
    return Part ? (
      <Suspense>
        <Part {...props} />
      </Suspense>
    ) : null;
  };
}
