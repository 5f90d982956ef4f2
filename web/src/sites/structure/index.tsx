import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, type Command, Confirm, EmptyState, ErrorState, Loading, notify } from "../../ui";
import { Part } from "../parts";
import { keyOfSite, pathOf, type SiteRef } from "../queries";
import { AddGroup } from "./add-group";
import { AddSpace } from "./add-space";
import { ItemSettings } from "./item-settings";
import { ExternalLinks } from "./links";
import { StructureTree } from "./structure-tree";
import { allOf, type Node } from "./tree";
import { useStructure } from "./use-structure";

type Adding = { what: "space" | "section"; section?: string } | { what: "group"; parent?: string };

/** The structure of a site: its sections, groups, spaces and links to other websites. */
export default function SiteStructure({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const { found, nodes, index, move, drop } = useStructure(site);
  const [adding, setAdding] = useState<Adding>();
  const [opened, setOpened] = useState<string>();
  const [removing, setRemoving] = useState<Node>();
  const commandsOf = useCommands(site, setAdding, (node) => setOpened(node.id));
  const openedNode = opened === undefined ? undefined : index.get(opened)?.node;
  const groups = allOf(nodes, "site-section-group");
  const hasSections = found.data?.type === "sections";
  const add = (
    <div className="row">
      <Button icon="plus" kind="primary" onPress={() => setAdding({ what: "space" })}>
        {sites.addSpace}
      </Button>
      <Button onPress={() => setAdding({ what: "section" })}>{sites.addSection}</Button>
      <Button onPress={() => setAdding({ what: "group" })}>{sites.addGroup}</Button>
    </div>
  );
  return (
    <>
      <Part title={sites.structure} hint={hasSections ? sites.structureHintSections : sites.structureHint} actions={add}>
        {found.isPending && <Loading />}
        {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
        {found.isSuccess && nodes.length === 0 && <EmptyState title={sites.showsNothing}>{sites.showsNothingHint}</EmptyState>}
        {nodes.length > 0 && (
          <StructureTree
            nodes={nodes}
            index={index}
            onMove={move}
            onDrop={drop}
            onOpen={(node) => setOpened(node.id)}
            onRemove={setRemoving}
            commandsOf={commandsOf}
          />
        )}
      </Part>
      <ExternalLinks site={site} groups={groups} />
      {adding?.what === "group" && <AddGroup site={site} {...(adding.parent !== undefined && { parent: adding.parent })} onClose={() => setAdding(undefined)} />}
      {adding !== undefined && adding.what !== "group" && (
        <AddSpace
          site={site}
          isSection={adding.what === "section"}
          {...(adding.section !== undefined && { section: adding.section })}
          onClose={() => setAdding(undefined)}
        />
      )}
      {openedNode && <ItemSettings site={site} node={openedNode} onClose={() => setOpened(undefined)} />}
      {removing && <RemoveItem site={site} node={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

/** Returns a function that gives the commands of an item, without those that move it. */
function useCommands(site: SiteRef, onAdd: (adding: Adding) => void, onOpen: (node: Node) => void): (node: Node) => Command[] {
  const { sites } = useMessages();
  const [, navigate] = useLocation();
  const path = pathOf(site);
  const forget = [keyOfSite(site)];
  const makeDefault = useChange(
    (node: Node): Promise<unknown> => {
      const body = node.kind === "site-section" ? { defaultSiteSection: node.id } : { defaultSiteSpace: node.id };
      const section = node.kind === "site-space" ? node.item.section : undefined;
      if (section === undefined) return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}", { params: { path }, body }));
      const params = { path: { ...path, siteSectionId: section } };
      return data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", { params, body: { defaultSiteSpace: node.id } }));
    },
    { forget },
  );
  const duplicate = useChange(
    (node: Node) => {
      const params = { path: { ...path, siteSpaceId: node.id } };
      return data(client.POST("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/duplicate", { params, body: { draft: true } }));
    },
    { forget: [...forget, ["org", site.organization, "spaces"]], onDone: () => notify(sites.duplicated, { tone: "success" }) },
  );
  return (node) => {
    const settings: Command = { id: "settings", label: sites.settings, icon: "settings", keys: "F2", run: () => onOpen(node) };
    if (node.kind === "site-section-group") {
      return [settings, { id: "group", label: sites.addGroupInside, icon: "plus", run: () => onAdd({ what: "group", parent: node.id }) }];
    }
    const first: Command = {
      id: "default",
      label: sites.makeDefault,
      icon: "check",
      isDisabled: node.item.default === true,
      run: () => makeDefault.mutate(node),
    };
    if (node.kind === "site-section") {
      return [settings, { id: "space", label: sites.addSpaceInside, icon: "plus", run: () => onAdd({ what: "space", section: node.id }) }, first];
    }
    const space = node.item.space.id;
    return [
      { id: "open", label: sites.openSpace, icon: "space", run: () => navigate(`/o/${site.organization}/s/${space}`) },
      settings,
      first,
      { id: "duplicate", label: sites.duplicateAsDraft, icon: "copy", run: () => duplicate.mutate(node) },
      { id: "look", label: sites.lookOfSpace, icon: "theme", run: () => navigate(`/o/${site.organization}/sites/${site.site}/look?space=${node.id}`) },
    ];
  };
}

function RemoveItem({ site, node, onClose }: { site: SiteRef; node: Node; onClose: () => void }) {
  const { sites } = useMessages();
  const path = pathOf(site);
  const remove = useChange(
    (): Promise<unknown> => {
      switch (node.kind) {
        case "site-section-group": {
          const params = { path: { ...path, siteSectionGroupId: node.id } };
          return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", { params }));
        }
        case "site-section": {
          const params = { path: { ...path, siteSectionId: node.id } };
          return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", { params }));
        }
        case "site-space": {
          const params = { path: { ...path, siteSpaceId: node.id } };
          return data(client.DELETE("/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}", { params }));
        }
      }
    },
    {
      forget: [keyOfSite(site)],
      onDone: () => {
        notify(sites.removed(node.title));
        onClose();
      },
    },
  );
  return (
    <Confirm title={sites.removeNamed(node.title)} action={sites.remove} isOpen isBusy={remove.isPending} onClose={onClose} onConfirm={() => remove.mutate()}>
      <p>{sites.removeHints[node.kind]}</p>
    </Confirm>
  );
}
