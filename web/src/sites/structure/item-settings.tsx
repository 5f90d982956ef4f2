import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Checkbox, Dialog, TextField } from "../../ui";
import { Form } from "../parts";
import { keyOfSite, pathOf, type SiteRef } from "../queries";
import { ConditionField } from "./condition-field";
import type { Node } from "./tree";

/** The condition that hides an item from all visitors. */
const DRAFT = "false";

interface Fields {
  title: string;
  path: string;
  icon: string;
  description: string;
  condition: string;
  languageTag: string;
}

function fieldsOf(node: Node): Fields {
  const empty = { title: node.title, path: "", icon: "", description: "", condition: "", languageTag: "" };
  switch (node.kind) {
    case "site-section-group":
      return { ...empty, icon: node.item.icon ?? "" };
    case "site-section": {
      const { path, icon = "", description = "", condition = "" } = node.item;
      return { ...empty, path, icon, description, condition };
    }
    case "site-space": {
      const { path, condition = "", languageTag = "" } = node.item;
      return { ...empty, path, condition, languageTag };
    }
  }
}

/** Sends the settings of an item that differ from those it has. */
function save(site: SiteRef, node: Node, before: Fields, fields: Fields): Promise<unknown> {
  const path = pathOf(site);
  const changed = <K extends keyof Fields>(key: K) => fields[key].trim() !== before[key];
  const text = <K extends keyof Fields>(key: K) => (changed(key) ? { [key]: fields[key].trim() } : {});
  const optional = <K extends keyof Fields>(key: K) => (changed(key) ? { [key]: fields[key].trim() || null } : {});
  switch (node.kind) {
    case "site-section-group": {
      const params = { path: { ...path, siteSectionGroupId: node.id } };
      const body = { ...text("title"), ...optional("icon") };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", { params, body }));
    }
    case "site-section": {
      const params = { path: { ...path, siteSectionId: node.id } };
      const body = { ...text("title"), ...text("path"), ...optional("icon"), ...optional("description"), ...optional("condition") };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", { params, body }));
    }
    case "site-space": {
      const params = { path: { ...path, siteSpaceId: node.id } };
      const body = { ...text("path"), ...optional("condition"), ...optional("languageTag") };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}", { params, body }));
    }
  }
}

/** The window with the settings of a section, a group or a space of a site. */
export function ItemSettings({ site, node, onClose }: { site: SiteRef; node: Node; onClose: () => void }) {
  const { sites, shell } = useMessages();
  // The item may change while the window is open, so its fields at the beginning are kept.
  const [before] = useState(() => fieldsOf(node));
  const [fields, setFields] = useState(before);
  const change = useChange(() => save(site, node, before, fields), { forget: [keyOfSite(site)], isQuiet: true, onDone: onClose });
  const set = <K extends keyof Fields>(key: K) => (value: string) => setFields((now) => ({ ...now, [key]: value }));
  const isDraft = fields.condition.trim() === DRAFT;
  const isGroup = node.kind === "site-section-group";
  const isSpace = node.kind === "site-space";
  return (
    <Dialog title={sites.settingsOf(node.title)} isOpen isBusy={change.isPending} onClose={onClose}>
      <Form onSubmit={() => change.mutate()}>
        {isSpace ? (
          <p className="muted">{sites.spaceTitleHint}</p>
        ) : (
          <TextField label={sites.itemTitle} value={fields.title} onChange={set("title")} autoFocus isRequired />
        )}
        {!isGroup && <TextField label={sites.path} value={fields.path} onChange={set("path")} isRequired description={sites.pathHint} spellCheck="false" />}
        {!isSpace && <TextField label={sites.icon} value={fields.icon} onChange={set("icon")} description={sites.iconHint} spellCheck="false" />}
        {node.kind === "site-section" && <TextField label={sites.itemDescription} value={fields.description} onChange={set("description")} maxLength={256} />}
        {isSpace && (
          <TextField label={sites.languageTag} value={fields.languageTag} onChange={set("languageTag")} description={sites.languageTagHint} spellCheck="false" />
        )}
        {!isGroup && (
          <>
            <Checkbox isSelected={isDraft} onChange={(hides) => set("condition")(hides ? DRAFT : "")}>
              {sites.draftHint}
            </Checkbox>
            {!isDraft && <ConditionField site={site} value={fields.condition} onChange={set("condition")} />}
          </>
        )}
        {change.isError && (
          <p className="error-text" role="alert">
            {change.error.message}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={change.isPending}>
            {shell.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
