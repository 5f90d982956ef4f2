import { type ReactNode } from "react";

import { useMessages } from "../i18n";
import { Icon } from "../ui";

/** The reason why the server refused a form, above its fields. */
export function FormError({ children }: { children: string | undefined }) {
  return (
    <div role="alert" className="settings-alert">
      {children !== undefined && (
        <p className="settings-error">
          <Icon name="warning" />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}

/** A remark that a person must see, such as a warning or a missing permission. */
export function Remark({ children, tone = "info" }: { children: ReactNode; tone?: "info" | "warning" }) {
  return (
    <div className="settings-remark" data-tone={tone}>
      <Icon name={tone} />
      <div className="grow">{children}</div>
    </div>
  );
}

/** Says that the person can read the settings and not change them. */
export function ReadOnly() {
  const { spaceSettings } = useMessages();
  return <Remark>{spaceSettings.readOnly}</Remark>;
}
