import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Button, Dialog, notify, Switch } from "../ui";
import { Field, Form, Part } from "./parts";
import { pathOf, type Site, siteQuery, type SiteRef, sitesQuery } from "./queries";

/** The settings of a site that no other view has, and its deletion. */
export default function SiteSettings({ site, found }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  const [isDeleting, setIsDeleting] = useState(false);
  const forget = [siteQuery(site).queryKey, sitesQuery(site.organization).queryKey];
  const agents = useChange(
    (agentsContext: Site["agentsContext"]) => data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) }, body: { agentsContext } })),
    { forget },
  );
  const context = agents.isPending ? agents.variables : found.agentsContext;
  return (
    <>
      <Part title={sites.general}>
        <div className="stack sites-narrow">
          <TitleForm key={found.title} site={site} title={found.title} />
          <div>
            <Switch isSelected={context === "included"} onChange={(isOn) => agents.mutate(isOn ? "included" : "excluded")}>
              {sites.agentsContext}
            </Switch>
            <p className="hint-text">{sites.agentsContextHint}</p>
          </div>
        </div>
      </Part>
      <Part title={sites.advanced} hint={sites.deleteHint}>
        <Button kind="danger" icon="trash" onPress={() => setIsDeleting(true)}>
          {sites.deleteSite}
        </Button>
      </Part>
      {isDeleting && <DeleteSite site={site} title={found.title} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

function TitleForm({ site, title }: { site: SiteRef; title: string }) {
  const { sites, shell } = useMessages();
  const [text, setText] = useState(title);
  const save = useChange(
    (changed: string) => data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) }, body: { title: changed } })),
    {
      forget: [siteQuery(site).queryKey, sitesQuery(site.organization).queryKey],
      isQuiet: true,
      onDone: () => notify(sites.saved, { tone: "success", action: { label: shell.undo, run: () => save.mutate(title) } }),
    },
  );
  return (
    <Form onSubmit={() => save.mutate(text.trim())}>
      <Field label={sites.siteTitle} value={text} onChange={setText} isRequired minLength={2} error={save.error?.message} />
      <div className="row">
        <Button type="submit" isPending={save.isPending} isDisabled={text.trim() === title}>
          {shell.save}
        </Button>
      </div>
    </Form>
  );
}

function DeleteSite({ site, title, onClose }: { site: SiteRef; title: string; onClose: () => void }) {
  const { sites, shell } = useMessages();
  const [text, setText] = useState("");
  const [, navigate] = useLocation();
  const remove = useChange(() => data(client.DELETE("/orgs/{organizationId}/sites/{siteId}", { params: { path: pathOf(site) } })), {
    forget: [sitesQuery(site.organization).queryKey],
    isQuiet: true,
    onDone: () => {
      notify(sites.siteDeleted(title));
      navigate(`/o/${site.organization}/sites`);
    },
  });
  return (
    <Dialog title={sites.deleteSite} isOpen isBusy={remove.isPending} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (text.trim() === title) remove.mutate();
        }}
      >
        <p>{sites.deleteWarning}</p>
        <Field label={sites.typeTitle(title)} value={text} onChange={setText} autoFocus error={remove.error?.message} />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="danger" type="submit" isPending={remove.isPending} isDisabled={text.trim() !== title}>
            {sites.deleteSite}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
