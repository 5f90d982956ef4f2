import { useMessages } from "../i18n";
import type { SettingsProps } from ".";
import { Access } from "./access";

/** The access to a space. */
export default function SpaceAccess({ place, found: space }: SettingsProps) {
  const { shell } = useMessages();
  return (
    <Access
      organization={place.organization}
      resource={{ kind: "space", id: space.id }}
      title={space.title || shell.untitled}
      parent={space.parent}
      defaultLevel={space.defaultLevel}
      isAdmin={space.permissions.admin}
    />
  );
}
