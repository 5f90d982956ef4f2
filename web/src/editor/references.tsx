import { useQuery } from "@tanstack/react-query";
import type { Node } from "prosemirror-model";
import type { RefObject } from "react";
import { useDeferredValue, useMemo } from "react";

import { client, data } from "../api/client";
import { keyOf, type Place } from "../api/place";
import { useMessages } from "../i18n";
import { foundMembersQuery } from "../people/queries";
import { filesQuery } from "../space/queries";
import type { Typed } from "./beside";
import { BesideList, type Entry, type KeyTaker } from "./beside-list";
import type { JsonNode } from "./document";
import { markType } from "./keys";
import { type FlatPage, matching } from "./pages";
import { schema } from "./schema";
import type { Ref } from "./view-parts";

/** Maximum number of entries of one kind. */
const MAX_OF_KIND = 6;
const FRESH = 5 * 60_000;

/** The reusable contents of a place. */
const reusableQuery = (place: Place) => ({
  queryKey: [...keyOf(place), "reusable"],
  staleTime: FRESH,
  queryFn: async () => {
    const { space: spaceId, changeRequest: changeRequestId } = place;
    const found =
      changeRequestId === undefined
        ? await data(client.GET("/spaces/{spaceId}/content", { params: { path: { spaceId }, query: { metadata: false } } }))
        : await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content", { params: { path: { spaceId, changeRequestId }, query: { metadata: false } } }));
    return found.reusableContents.map(({ id, title }) => ({ id, label: title }));
  },
});

/** Something that a text can refer to, and the nodes that do so. */
interface Reference extends Entry {
  nodes: () => Node[];
  /** True if it takes a block of its own. */
  isBlock?: boolean;
}

interface Props {
  doc: Node;
  place: Place;
  typed: Typed;
  pages: readonly FlatPage[];
  taker: RefObject<KeyTaker | null>;
  onChoose: (nodes: Node[], isBlock: boolean) => void;
  onClose: () => void;
}

/** A list of pages, headings, files, people and reusable contents below the text. */
export function ReferenceList({ doc, place, typed, pages, taker, onChoose, onClose }: Props) {
  const { editor } = useMessages();
  const query = useDeferredValue(typed.query.trim());
  const files = useQuery(filesQuery(place)).data;
  const reusable = useQuery(reusableQuery(place)).data;
  const people = useQuery({ ...foundMembersQuery(place.organization, query), staleTime: FRESH }).data;
  const found = useMemo(() => {
    const names = editor.referenceKinds;
    const link = (ref: Ref, label: string) => () => [schema.text(label, [markType("link").create({ ref })]), schema.text(" ")];
    const of = <T extends { id: string; label: string }>(all: readonly T[] | undefined, kind: string, make: (one: T) => Omit<Reference, "id" | "label">) => {
      const flat = (all ?? []).map((one) => ({ detail: "", ...one }));
      return matching(flat, query, MAX_OF_KIND).map((one): Reference => ({ id: `${kind}/${one.id}`, label: one.label, ...make(one as unknown as T) }));
    };
    return [
      ...of(pages, "page", (page) => ({ detail: page.detail || names.page, nodes: link({ kind: "page", page: page.id }, page.label) })),
      ...of(headingsOf(doc), "heading", (heading) => ({ detail: names.heading, nodes: link({ kind: "anchor", anchor: heading.id }, heading.label) })),
      ...of(files?.map(({ id, name }) => ({ id, label: name })), "file", (file) => ({ detail: names.file, nodes: link({ kind: "file", file: file.id }, file.label) })),
      ...(people ?? []).slice(0, MAX_OF_KIND).map(({ user }): Reference => ({
        id: `person/${user.id}`,
        label: user.displayName,
        detail: names.person,
        nodes: () => [mention(user.id), schema.text(" ")],
      })),
      ...of(reusable, "reusable", ({ id }) => ({
        detail: names.reusable,
        isBlock: true,
        nodes: () => [atom({ object: "block", type: "reusable-content", isVoid: true, data: { ref: { kind: "reusable-content", reusableContent: id } } })],
      })),
    ];
  }, [doc, editor, files, pages, people, query, reusable]);
  const choose = (id: string) => {
    const chosen = found.find((one) => one.id === id);
    if (chosen) onChoose(chosen.nodes(), chosen.isBlock === true);
  };
  return <BesideList label={editor.references} empty={editor.noReferences} anchor={typed.anchor} entries={found} taker={taker} onChoose={choose} onClose={onClose} />;
}

function mention(user: string): Node {
  return schema.node("inline_atom", { json: { object: "inline", type: "mention", isVoid: true, data: { ref: { kind: "user", user } } } });
}

function atom(json: JsonNode): Node {
  return schema.node("atom", { json });
}

/** Returns the headings of a document that have addresses. */
function headingsOf(doc: Node): { id: string; label: string }[] {
  const found: { id: string; label: string }[] = [];
  doc.descendants((node) => {
    const id = node.type.name === "heading" ? (node.attrs["rest"] as JsonNode | null)?.meta?.["id"] : undefined;
    if (typeof id === "string" && node.textContent) found.push({ id, label: node.textContent });
    return !node.isTextblock;
  });
  return found;
}
