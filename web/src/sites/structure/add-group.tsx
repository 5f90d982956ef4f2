import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Dialog } from "../../ui";
import { Field, Form } from "../parts";
import { keyOfSite, pathOf, type SiteRef } from "../queries";

/** The window that adds a group of sections. */
export function AddGroup({ site, parent, onClose }: { site: SiteRef; parent?: string; onClose: () => void }) {
  const { sites, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [icon, setIcon] = useState("");
  const add = useChange(
    () => {
      const body = { title: title.trim(), ...(icon.trim() && { icon: icon.trim() }), ...(parent !== undefined && { parent }) };
      return data(client.POST("/orgs/{organizationId}/sites/{siteId}/section-groups", { params: { path: pathOf(site) }, body }));
    },
    { forget: [keyOfSite(site)], isQuiet: true, onDone: onClose },
  );
  return (
    <Dialog title={sites.addGroup} isOpen isBusy={add.isPending} onClose={onClose}>
      <Form onSubmit={() => add.mutate()}>
        <p className="muted">{sites.groupHint}</p>
        <Field label={sites.itemTitle} value={title} onChange={setTitle} autoFocus isRequired error={add.error?.message} />
        <Field label={sites.icon} value={icon} onChange={setIcon} description={sites.iconHint} />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={add.isPending}>
            {sites.addGroup}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
