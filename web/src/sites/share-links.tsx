import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { useCopy } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Badge, Button, Confirm, EmptyState, ErrorState, IconButton, Loading, notify, Switch, Time } from "../ui";
import { Field, Form, Part } from "./parts";
import { addressOfSite, pathOf, shareLinksQuery, type Site, type SiteRef } from "./queries";

type ShareLink = Schemas["ShareLink"];

/** The links by which readers open a site that is for those with a link. */
export default function ShareLinks({ site, found: { visibility } }: { site: SiteRef; found: Site }) {
  const { sites } = useMessages();
  const found = useQuery(shareLinksQuery(site));
  return (
    <Part title={sites.views["share-links"]} hint={sites.shareLinksHint}>
      {visibility !== "share-link" && (
        <p className="sites-note">
          {sites.shareLinksOff} <Link href={addressOfSite(site, "audience")}>{sites.changeAudience}</Link>
        </p>
      )}
      <NewLink site={site} />
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <EmptyState title={sites.noShareLinks} />}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list">
          {found.data.map((link) => (
            <LinkRow key={link.id} site={site} link={link} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function NewLink({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const [name, setName] = useState("");
  const copy = useCopy();
  const create = useChange(
    () => data(client.POST("/orgs/{organizationId}/sites/{siteId}/share-links", { params: { path: pathOf(site) }, body: { name: name.trim() } })),
    {
      forget: [shareLinksQuery(site).queryKey],
      isQuiet: true,
      onDone: ({ urls }) => {
        setName("");
        const address = urls.published;
        notify(sites.linkCreated, { tone: "success", ...(address !== undefined && { action: { label: sites.copyLink, run: () => copy(address) } }) });
      },
    },
  );
  return (
    <Form onSubmit={() => create.mutate()}>
      <div className="sites-inline">
        <Field label={sites.linkName} value={name} onChange={setName} maxLength={50} placeholder={sites.linkNameExample} isRequired error={create.error?.message} />
        <Button type="submit" kind="primary" icon="link" isPending={create.isPending}>
          {sites.createLink}
        </Button>
      </div>
    </Form>
  );
}

function LinkRow({ site, link }: { site: SiteRef; link: ShareLink }) {
  const { sites, shell } = useMessages();
  const copy = useCopy();
  const [isAsking, setIsAsking] = useState(false);
  const name = link.name || shell.untitled;
  const isActive = link.active !== false;
  const path = { ...pathOf(site), shareLinkId: link.id };
  const forget = [shareLinksQuery(site).queryKey];
  const change = useChange(
    (active: boolean) => data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", { params: { path }, body: { active } })),
    { forget },
  );
  const remove = useChange(() => data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", { params: { path } })), {
    forget,
    onDone: () => setIsAsking(false),
  });
  const address = link.urls.published;
  const shown = change.isPending ? change.variables : isActive;
  return (
    <li className="sites-wrap">
      <div className="grow">
        <strong className="sites-name">{name}</strong> {!shown && <Badge tone="warning">{sites.revoked}</Badge>}
        <div className="muted">
          <Time at={link.createdAt} />
        </div>
      </div>
      {address !== undefined && (
        <Button isSmall icon="copy" aria-label={sites.copyLinkNamed(name)} isDisabled={!shown} onPress={() => copy(address)}>
          {sites.copyLink}
        </Button>
      )}
      <Switch aria-label={sites.linkWorks(name)} isSelected={shown} onChange={(active) => change.mutate(active)}>
        {sites.works}
      </Switch>
      <IconButton icon="trash" label={sites.removeNamed(name)} onPress={() => setIsAsking(true)} />
      <Confirm
        title={sites.removeNamed(name)}
        action={sites.remove}
        isOpen={isAsking}
        isBusy={remove.isPending}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate()}
      >
        <p>{sites.removeLinkHint}</p>
      </Confirm>
    </li>
  );
}
