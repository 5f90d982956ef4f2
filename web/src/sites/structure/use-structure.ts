import { useMutation, useMutationState, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { notify } from "../../ui";
import { keyOfSite, pathOf, type SiteRef, structureQuery } from "../queries";
import { indexOf, moved, type Node, nodesOf, type Spot, spotOf } from "./tree";

interface Move {
  id: string;
  kind: Node["kind"];
  spot: Spot;
}

/** Asks the server to move an item of a structure. */
async function send(site: SiteRef, { id, kind, spot }: Move): Promise<void> {
  const path = pathOf(site);
  if ("into" in spot) {
    const params = { path: { ...path, siteSectionGroupId: spot.into.id } };
    await data(client.POST("/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections", { params, body: { sectionId: id } }));
    return;
  }
  const pointer = ({ kind: type, id }: Node) => ({ type, id });
  const position = "before" in spot ? { before: pointer(spot.before) } : { after: pointer(spot.after) };
  const body = { item: { type: kind, id }, position };
  await data(client.PATCH("/orgs/{organizationId}/sites/{siteId}/structure/sort", { params: { path }, body }));
}

/** Returns the tree of a site, which moves change at once, and functions that move an item; `drop` offers to undo it. */
export function useStructure(site: SiteRef) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const found = useQuery(structureQuery(site));
  const mutationKey = [...keyOfSite(site), "move"];
  const change = useMutation({
    mutationKey,
    // Moves reach the server in their order, each after the structure with the former one was read.
    scope: { id: mutationKey.join(" ") },
    mutationFn: (move: Move) => send(site, move),
    onError: (error) => notify(error.message, { tone: "danger" }),
    // The move stays shown until the structure is read again.
    onSettled: () => cache.invalidateQueries({ queryKey: keyOfSite(site) }),
  });
  const pending = useMutationState({ filters: { mutationKey, status: "pending" }, select: ({ state }) => state.variables as Move });
  const nodes = useMemo(() => {
    const read = found.data ? nodesOf(found.data) : [];
    return pending.reduce((tree, { id, spot }) => moved(tree, id, spot), read);
  }, [found.data, pending]);
  const index = useMemo(() => indexOf(nodes), [nodes]);
  const move = (node: Node, spot: Spot) => change.mutate({ id: node.id, kind: node.kind, spot });
  const drop = (node: Node, spot: Spot) => {
    const back = spotOf(index, node.id);
    const onSuccess = () => {
      if (back) notify(sites.moved(node.title), { action: { label: shell.undo, run: () => move(node, back) } });
    };
    change.mutate({ id: node.id, kind: node.kind, spot }, { onSuccess });
  };
  return { found, nodes, index, move, drop };
}
