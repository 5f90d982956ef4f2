import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Badge, Button, Checkbox, Dialog, ErrorState, Icon, IconButton, Loading, notify, Select } from "../../ui";
import { differences } from "../differences";
import { Field, Form, Part } from "../parts";
import { type ExternalLink, externalLinksQuery, keyOfSite, pathOf, type SiteRef } from "../queries";
import { ConditionField } from "./condition-field";
import type { Node } from "./tree";

type Group = Extract<Node, { kind: "site-section-group" }>;

/** The links of a site to other websites, which are shown among its sections. */
export function ExternalLinks({ site, groups }: { site: SiteRef; groups: readonly Group[] }) {
  const { sites, shell } = useMessages();
  const found = useQuery(externalLinksQuery(site));
  const [opened, setOpened] = useState<ExternalLink | "new">();
  const forget = [externalLinksQuery(site).queryKey];
  const restore = useChange(
    ({ title, url, icon, draft, condition, sectionGroup }: ExternalLink) => {
      const body = { title, url, draft, ...(icon && { icon }), ...(condition && { condition }), ...(sectionGroup && { parent: sectionGroup }) };
      return data(client.POST("/orgs/{organizationId}/sites/{siteId}/external-links", { params: { path: pathOf(site) }, body }));
    },
    { forget },
  );
  const remove = useChange(
    ({ id }: ExternalLink) => {
      const params = { path: { ...pathOf(site), siteExternalLinkId: id } };
      return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}", { params }));
    },
    { forget, onDone: (_, link) => notify(sites.removed(link.title), { action: { label: shell.undo, run: () => restore.mutate(link) } }) },
  );
  const add = (
    <Button icon="link" onPress={() => setOpened("new")}>
      {sites.addLink}
    </Button>
  );
  return (
    <Part title={sites.externalLinks} hint={sites.externalLinksHint} actions={add}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list">
          {found.data.map((link) => (
            <li key={link.id} className="sites-wrap">
              <Icon name="link" />
              <div className="grow">
                <strong className="sites-name">{link.title}</strong>
                <div className="muted sites-address">{link.url}</div>
              </div>
              {link.sectionGroup !== undefined && <Badge>{groups.find(({ id }) => id === link.sectionGroup)?.title ?? ""}</Badge>}
              {link.draft && <Badge tone="warning">{sites.draft}</Badge>}
              {link.condition && <Badge tone="purple">{sites.conditional}</Badge>}
              <IconButton icon="edit" label={sites.settingsOf(link.title)} onPress={() => setOpened(link)} />
              <IconButton icon="trash" label={sites.removeNamed(link.title)} onPress={() => remove.mutate(link)} />
            </li>
          ))}
        </ul>
      )}
      {opened !== undefined && <LinkSettings site={site} groups={groups} link={opened === "new" ? undefined : opened} onClose={() => setOpened(undefined)} />}
    </Part>
  );
}

interface LinkProps {
  site: SiteRef;
  groups: readonly Group[];
  link: ExternalLink | undefined;
  onClose: () => void;
}

function LinkSettings({ site, groups, link, onClose }: LinkProps) {
  const { sites, shell } = useMessages();
  // The link may change while the window is open, so its fields at the beginning are kept.
  const [before] = useState(link);
  const [title, setTitle] = useState(link?.title ?? "");
  const [url, setUrl] = useState(link?.url ?? "https://");
  const [icon, setIcon] = useState(link?.icon ?? "");
  const [parent, setParent] = useState(link?.sectionGroup ?? "");
  const [isDraft, setIsDraft] = useState(link?.draft ?? false);
  const [condition, setCondition] = useState(link?.condition ?? "");
  const save = useChange(
    (): Promise<unknown> => {
      const path = pathOf(site);
      const body = { title: title.trim(), url: url.trim(), draft: isDraft, icon: icon.trim() || null, condition: condition.trim() || null };
      if (before) {
        const params = { path: { ...path, siteExternalLinkId: before.id } };
        const { title: oldTitle, url: oldUrl, draft, icon: oldIcon = null, condition: oldCondition = null, sectionGroup = null } = before;
        const old = { title: oldTitle, url: oldUrl, draft, icon: oldIcon, condition: oldCondition, parent: sectionGroup };
        const changed = differences(old, { ...body, parent: parent || null });
        return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/external-links/{siteExternalLinkId}", { params, body: changed }));
      }
      const params = { path };
      return data(client.POST("/orgs/{organizationId}/sites/{siteId}/external-links", { params, body: { ...body, ...(parent && { parent }) } }));
    },
    { forget: [keyOfSite(site)], isQuiet: true, onDone: onClose },
  );
  const places = [{ id: "", label: sites.topLevel }, ...groups.map(({ id, title: label }) => ({ id, label }))];
  return (
    <Dialog title={link ? sites.settingsOf(link.title) : sites.addLink} isOpen isBusy={save.isPending} onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <Field label={sites.itemTitle} value={title} onChange={setTitle} autoFocus isRequired />
        <Field label={sites.url} type="url" value={url} onChange={setUrl} isRequired error={save.error?.message} />
        {places.length > 1 && <Select label={sites.place} options={places} value={parent} onChange={setParent} />}
        <Field label={sites.icon} value={icon} onChange={setIcon} description={sites.iconHint} spellCheck="false" />
        <Checkbox isSelected={isDraft} onChange={setIsDraft}>
          {sites.draftLinkHint}
        </Checkbox>
        <ConditionField site={site} value={condition} onChange={setCondition} />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {link ? shell.save : sites.addLink}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
