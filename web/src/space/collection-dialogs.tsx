import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { collectionsQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Confirm, notify, Select, TextField } from "../ui";
import { Form } from "../ui/form";
import { reasonOf } from "./writing";

/** The windows of a collection by their names. */
export type CollectionDialog = "new" | "edit" | "move" | "delete";
type Collection = Schemas["Collection"];

interface Props {
  organization: string;
  collection: Collection;
  /** The number of spaces in the collection. */
  spaces: number;
  dialog: CollectionDialog | undefined;
  onClose: () => void;
}

/** Returns a function that forgets what was read of collections and spaces. */
function useForget(organization: string): () => Promise<void> {
  const cache = useQueryClient();
  return async () => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: ["collection"] }),
      cache.invalidateQueries({ queryKey: ["org", organization, "spaces"] }),
      cache.invalidateQueries({ queryKey: ["org", organization, "collections"] }),
    ]);
  };
}

/** The windows of a collection. */
export function CollectionDialogs({ organization, collection, spaces, dialog, onClose }: Props) {
  if (dialog === "new") return <NewSpace organization={organization} collection={collection} onClose={onClose} />;
  if (dialog === "edit") return <Edit organization={organization} collection={collection} onClose={onClose} />;
  if (dialog === "move") return <CollectionMove organization={organization} collection={collection} onClose={onClose} />;
  if (dialog === "delete") return <Delete organization={organization} collection={collection} spaces={spaces} onClose={onClose} />;
  return null;
}

type DialogProps = Pick<Props, "organization" | "collection" | "onClose">;

function NewSpace({ organization, collection, onClose }: DialogProps) {
  const { space, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [, navigate] = useLocation();
  const forget = useForget(organization);
  const create = useMutation({
    mutationFn: () => {
      const body = { title: title.trim(), parent: collection.id };
      return data(client.POST("/orgs/{organizationId}/spaces", { params: { path: { organizationId: organization } }, body }));
    },
    onSuccess: async (made) => {
      await forget();
      navigate(`/o/${organization}/s/${made.id}`);
    },
  });
  return (
    <Form title={space.newSpaceHere} action={shell.create} isBusy={create.isPending} onClose={onClose} onSubmit={() => create.mutate()}>
      <TextField label={space.spaceTitle} value={title} onChange={setTitle} autoFocus isRequired error={create.error ? reasonOf(create.error) : undefined} />
    </Form>
  );
}

function Edit({ organization, collection, onClose }: DialogProps) {
  const { space, shell } = useMessages();
  const [title, setTitle] = useState<string>(collection.title);
  const [description, setDescription] = useState<string>(collection.description ?? "");
  const forget = useForget(organization);
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { collectionId: collection.id } };
      return data(client.PATCH("/collections/{collectionId}", { params, body: { title: title.trim(), description: description.trim() } }));
    },
    onSuccess: async () => {
      await forget();
      onClose();
    },
  });
  return (
    <Form title={space.editCollection} action={shell.save} isBusy={save.isPending} onClose={onClose} onSubmit={() => save.mutate()}>
      <TextField label={space.collectionTitle} value={title} onChange={setTitle} autoFocus isRequired error={save.error ? reasonOf(save.error) : undefined} />
      <TextField label={space.description} value={description} onChange={setDescription} isMultiline rows={3} />
    </Form>
  );
}

/** Returns the ids of a collection and of all that it contains. */
function within(collections: Collection[], id: string): Set<string> {
  const found = new Set([id]);
  for (const { id: child } of collections.filter(({ parent }) => parent === id)) for (const one of within(collections, child)) found.add(one);
  return found;
}

function CollectionMove({ organization, collection, onClose }: DialogProps) {
  const collections = useQuery(collectionsQuery(organization));
  const excluded = within(collections.data ?? [], collection.id);
  return (
    <Move
      organization={organization}
      present={collection.parent ?? ""}
      options={(collections.data ?? []).filter(({ id }) => !excluded.has(id))}
      onClose={onClose}
      move={(parent) => data(client.POST("/collections/{collectionId}/move", { params: { path: { collectionId: collection.id } }, body: { parent } }))}
    />
  );
}

/** The window that moves a space to another collection. */
export function SpaceMove({ organization, collection, spaceId, onClose }: { organization: string; collection: string; spaceId: string; onClose: () => void }) {
  const collections = useQuery(collectionsQuery(organization));
  return (
    <Move
      organization={organization}
      present={collection}
      options={collections.data ?? []}
      onClose={onClose}
      move={(parent) => data(client.POST("/spaces/{spaceId}/move", { params: { path: { spaceId } }, body: { parent } }))}
    />
  );
}

interface MoveProps {
  organization: string;
  /** The collection that contains the thing now; empty at the top level. */
  present: string;
  options: Collection[];
  onClose: () => void;
  move: (parent: string | null) => Promise<unknown>;
}

function Move({ organization, present, options, onClose, move }: MoveProps) {
  const { space } = useMessages();
  const [parent, setParent] = useState(present);
  const forget = useForget(organization);
  const run = useMutation({
    mutationFn: () => move(parent === "" ? null : parent),
    onSuccess: async () => {
      await forget();
      onClose();
    },
    onError: (error) => notify(space.refused(reasonOf(error)), { tone: "danger" }),
  });
  const choices = [{ id: "", label: space.topLevel }, ...options.map(({ id, title }) => ({ id, label: title || space.untitled }))];
  return (
    <Form title={space.move} action={space.move} isBusy={run.isPending} onClose={onClose} onSubmit={() => run.mutate()}>
      <Select label={space.moveInto} options={choices} value={parent} onChange={setParent} />
    </Form>
  );
}

function Delete({ organization, collection, spaces, onClose }: DialogProps & { spaces: number }) {
  const { space } = useMessages();
  const [, navigate] = useLocation();
  const forget = useForget(organization);
  const remove = useMutation({
    mutationFn: async () => {
      const { response, error } = await client.DELETE("/collections/{collectionId}", { params: { path: { collectionId: collection.id } } });
      if (!response.ok) throw new Error((error as { error?: { message?: string } } | undefined)?.error?.message ?? String(response.status));
    },
    onSuccess: async () => {
      navigate(`/o/${organization}`);
      await forget();
    },
    onError: (error) => notify(space.refused(reasonOf(error)), { tone: "danger" }),
  });
  return (
    <Confirm
      title={space.deleteCollection}
      action={space.deleteCollection}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{space.deleteCollectionText(spaces)}</p>
    </Confirm>
  );
}
