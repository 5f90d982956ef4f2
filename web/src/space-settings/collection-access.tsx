import "../people/people.css";
import "../sites/sites.css";
import "./space-settings.css";

import type { Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { Dialog } from "../ui";
import { Access } from "./access";

interface Props {
  organization: string;
  collection: Schemas["Collection"];
  onClose: () => void;
}

/** The window with the access to a collection and everything in it. */
export default function CollectionAccess({ organization, collection, onClose }: Props) {
  const { spaceSettings, shell } = useMessages();
  const title = collection.title || shell.untitled;
  return (
    <Dialog title={spaceSettings.access.titleOf(title)} isOpen isWide onClose={onClose}>
      <Access
        organization={organization}
        resource={{ kind: "collection", id: collection.id }}
        title={title}
        parent={collection.parent}
        defaultLevel={collection.defaultLevel}
        isAdmin={collection.permissions.admin}
      />
    </Dialog>
  );
}
