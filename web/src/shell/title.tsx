import { useEffect } from "react";

import { useMessages } from "../i18n";

/** Sets the title of the window while it is shown. */
export function Title({ children }: { children: string }) {
  const { shell } = useMessages();
  useEffect(() => {
    document.title = `${children} · ${shell.product}`;
  }, [children, shell]);
  return null;
}
