import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Dialog, Select } from "../../ui";
import { isEqual } from "../differences";
import { PagePicker } from "../page-picker";
import { Field, Form } from "../parts";
import { pathOf, type SiteRef, siteSpacesQuery, structureQuery } from "../queries";
import { allOf, nodesOf } from "../structure/tree";
import { isSource, pathOf as pathOfAddress } from "./csv";
import { keyOfRedirects, type Redirect } from "./redirects";

type Destination = Redirect["destination"];
type Kind = Destination["kind"];

/** The window that adds or changes a redirect. */
export function RedirectForm({ site, redirect, onClose }: { site: SiteRef; redirect: Redirect | undefined; onClose: () => void }) {
  const { sites, shell } = useMessages();
  // The redirect may change while the window is open, so its fields at the beginning are kept.
  const [old] = useState(redirect);
  const before = old?.destination;
  const [source, setSource] = useState(redirect?.source ?? "/");
  const [kind, setKind] = useState<Kind>(before?.kind ?? "site-page");
  const [section, setSection] = useState(before?.kind === "site-section" ? before.siteSectionId : null);
  const [chosenSpace, setSpace] = useState(before && before.kind !== "site-section" ? before.siteSpaceId : null);
  const [page, setPage] = useState<string | null>(before?.kind === "site-page" ? before.pageId : null);
  const spaces = useQuery(siteSpacesQuery(site));
  const structure = useQuery(structureQuery(site));
  const sections = structure.data ? allOf(nodesOf(structure.data), "site-section") : [];
  const siteSpace = spaces.data?.find(({ id }) => id === chosenSpace) ?? spaces.data?.[0];
  const destination = ((): Destination | undefined => {
    if (kind === "site-section") return section === null ? undefined : { kind, siteSectionId: section };
    if (!siteSpace) return undefined;
    if (kind === "site-space") return { kind, siteSpaceId: siteSpace.id };
    return page === null ? undefined : { kind, siteSpaceId: siteSpace.id, pageId: page };
  })();
  const save = useChange(
    async (target: Destination) => {
      const path = pathOf(site);
      const changed = pathOfAddress(source);
      if (!isSource(changed)) throw new Error(sites.sourceWrong);
      if (!old) return data(client.POST("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path }, body: { source: changed, destination: target } }));
      const params = { path: { ...path, siteRedirectId: old.id } };
      const body = { ...(changed !== old.source && { source: changed }), ...(!isEqual(target, old.destination) && { destination: target }) };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}", { params, body }));
    },
    { forget: [keyOfRedirects(site)], isQuiet: true, onDone: onClose },
  );
  const kinds: { id: Kind; label: string }[] = [
    { id: "site-page", label: sites.aPage },
    { id: "site-space", label: sites.aSpace },
    ...(sections.length > 0 ? [{ id: "site-section" as const, label: sites.aSection }] : []),
  ];
  return (
    <Dialog title={redirect ? sites.settingsOf(redirect.source) : sites.newRedirect} isOpen isBusy={save.isPending} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (destination) save.mutate(destination);
        }}
      >
        <Field label={sites.source} value={source} onChange={setSource} description={sites.sourceHint} autoFocus isRequired spellCheck="false" error={save.error?.message} />
        <Select label={sites.leadsTo} options={kinds} value={kind} onChange={setKind} />
        {kind === "site-section" ? (
          <Select label={sites.section} options={sections.map(({ id, title }) => ({ id, label: title }))} value={section} onChange={setSection} />
        ) : (
          <Select
            label={sites.space}
            options={(spaces.data ?? []).map(({ id, title }) => ({ id, label: title || shell.untitled }))}
            value={siteSpace?.id ?? null}
            onChange={(id) => {
              setSpace(id);
              setPage(null);
            }}
          />
        )}
        {kind === "site-page" && siteSpace && (
          <PagePicker organization={site.organization} space={siteSpace.space.id} label={sites.page} value={page} onChange={setPage} />
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={save.isPending} isDisabled={!destination}>
            {shell.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
