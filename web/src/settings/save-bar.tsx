import type { ReactNode } from "react";

/** The buttons of a form, which stay in view while there are changes that are not saved. */
export function SaveBar({ isShown, error, children }: { isShown: boolean; error: string | undefined; children: ReactNode }) {
  if (!isShown) return null;
  return (
    <div className="settings-save">
      {error !== undefined && (
        <p className="error-text" role="alert">
          {error}
        </p>
      )}
      <div className="row">{children}</div>
    </div>
  );
}
