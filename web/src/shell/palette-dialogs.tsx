import "../people/people.css";
import "../sites/sites.css";
import "../openapi/openapi.css";

import { NewSpec } from "../openapi/new-spec";
import { InviteDialog } from "../people/invite";
import { NewSite } from "../sites/new-site";
import { NewSpace } from "../space/new-space";

/** The windows that commands of the search everywhere open. */
export type DialogName = "space" | "site" | "specification" | "invite";

/** The window that a command opened. */
export default function PaletteDialog({ name, organization, onClose }: { name: DialogName; organization: string; onClose: () => void }) {
  switch (name) {
    case "space":
      return <NewSpace organization={organization} isOpen onClose={onClose} />;
    case "site":
      return <NewSite organization={organization} onClose={onClose} />;
    case "specification":
      return <NewSpec organization={organization} onClose={onClose} />;
    case "invite":
      return <InviteDialog organization={organization} isOpen onClose={onClose} />;
  }
}
