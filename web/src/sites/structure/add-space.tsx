import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../../api/client";
import { spacesQuery } from "../../api/queries";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Dialog, Loading, type Option, Select, TextField } from "../../ui";
import { Form } from "../parts";
import { keyOfSite, pathOf, type SiteRef, sitesQuery, structureQuery } from "../queries";
import { allOf, nodesOf } from "./tree";

/** The value of the place that makes a new section. */
const NEW_SECTION = "section";
/** The value of the place beside the other spaces of a site without sections. */
const VARIANT = "variant";

interface Props {
  site: SiteRef;
  /** True to make a section of the space. */
  isSection?: boolean;
  /** The section to which the space is added. */
  section?: string;
  onClose: () => void;
}

/** The window that adds a space to a site. */
export function AddSpace({ site, isSection, section, onClose }: Props) {
  const { sites, shell } = useMessages();
  const [space, setSpace] = useState<string | null>(null);
  const [chosenPlace, setPlace] = useState<string | undefined>(isSection ? NEW_SECTION : section);
  const [title, setTitle] = useState("");
  const [icon, setIcon] = useState("");
  const spaces = useQuery(spacesQuery(site.organization));
  const structure = useQuery(structureQuery(site));
  const nodes = structure.data ? nodesOf(structure.data) : [];
  const sections = allOf(nodes, "site-section");
  const used = new Set(allOf(nodes, "site-space").map(({ item }) => item.space.id));
  const free = (spaces.data ?? []).filter(({ id }) => !used.has(id));
  const place = chosenPlace ?? (sections.length > 0 ? NEW_SECTION : VARIANT);
  const places: Option[] = [
    ...(sections.length > 0 ? [] : [{ id: VARIANT, label: sites.asVariant, description: sites.asVariantHint }]),
    { id: NEW_SECTION, label: sites.asSection, description: sites.asSectionHint },
    ...sections.map(({ id, title: name }) => ({ id, label: sites.inSection(name), description: sites.inSectionHint })),
  ];
  const add = useChange(
    (spaceId: string): Promise<unknown> => {
      const params = { path: pathOf(site) };
      if (place === NEW_SECTION) {
        const body = { spaceId, ...(title.trim() && { title: title.trim() }), ...(icon.trim() && { icon: icon.trim() }) };
        return data(client.POST("/orgs/{organizationId}/sites/{siteId}/sections", { params, body }));
      }
      const body = { spaceId, ...(place !== VARIANT && { sectionId: place }) };
      return data(client.POST("/orgs/{organizationId}/sites/{siteId}/site-spaces", { params, body }));
    },
    { forget: [keyOfSite(site), sitesQuery(site.organization).queryKey], isQuiet: true, onDone: onClose },
  );
  const isReady = spaces.isSuccess && structure.isSuccess;
  return (
    <Dialog title={isSection ? sites.addSection : sites.addSpace} isOpen isBusy={add.isPending} onClose={onClose}>
      {!isReady && <Loading />}
      {isReady && free.length === 0 && <p>{sites.noFreeSpaces}</p>}
      {isReady && free.length > 0 && (
        <Form
          onSubmit={() => {
            if (space !== null) add.mutate(space);
          }}
        >
          <Select
            label={sites.space}
            options={free.map(({ id, title: name }) => ({ id, label: name || shell.untitled }))}
            value={space}
            onChange={setSpace}
          />
          {nodes.length > 0 && !isSection && (
            <Select label={sites.place} options={places} value={place} onChange={setPlace} description={places.find(({ id }) => id === place)?.description} />
          )}
          {place === NEW_SECTION && nodes.length > 0 && (
            <>
              <TextField label={sites.sectionTitle} value={title} onChange={setTitle} description={sites.sectionTitleHint} />
              <TextField label={sites.icon} value={icon} onChange={setIcon} description={sites.iconHint} />
            </>
          )}
          {add.isError && (
            <p className="error-text" role="alert">
              {add.error.message}
            </p>
          )}
          <div className="row">
            <span className="grow" />
            <Button onPress={onClose}>{shell.cancel}</Button>
            <Button kind="primary" type="submit" isPending={add.isPending} isDisabled={space === null}>
              {isSection ? sites.addSection : sites.addSpace}
            </Button>
          </div>
        </Form>
      )}
    </Dialog>
  );
}
