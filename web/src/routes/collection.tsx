import "../space/space.css";

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Link } from "wouter";

import { all, client, data } from "../api/client";
import { collectionsQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { type CollectionDialog, CollectionDialogs, SpaceMove } from "../space/collection-dialogs";
import { emojiText } from "../space/emoji-text";
import { Button, type Command, EmptyState, ErrorState, Icon, Loading, Menu, Time } from "../ui";

const CollectionAccess = lazy(() => import("../space-settings/collection-access"));

/** A collection with its spaces and the collections in it. */
export default function CollectionPage({ organization, collection: collectionId }: { organization: string; collection: string }) {
  const { space, spaceSettings, shell } = useMessages();
  const [dialog, setDialog] = useState<CollectionDialog>();
  const [moving, setMoving] = useState<string>();
  const [isAccessShown, setIsAccessShown] = useState(false);
  const found = useQuery({
    queryKey: ["collection", collectionId],
    queryFn: () => data(client.GET("/collections/{collectionId}", { params: { path: { collectionId } } })),
  });
  const spaces = useQuery({
    queryKey: ["collection", collectionId, "spaces"],
    queryFn: () =>
      all((page) => {
        const params = { path: { collectionId }, query: { limit: 100, ...(page && { page }) } };
        return data(client.GET("/collections/{collectionId}/spaces", { params }));
      }),
  });
  const collections = useQuery(collectionsQuery(organization));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const collection = found.data;
  const { permissions } = collection;
  const inside = (collections.data ?? []).filter(({ parent }) => parent === collectionId);
  const commands: Command[] = [
    { id: "edit", label: space.editCollection, icon: "edit", run: () => setDialog("edit") },
    { id: "move", label: space.move, icon: "collection", run: () => setDialog("move") },
    { id: "access", label: spaceSettings.access.title, icon: "key", run: () => setIsAccessShown(true) },
    { id: "delete", label: space.deleteCollection, icon: "trash", isDanger: true, run: () => setDialog("delete") },
  ];
  const parent = (collections.data ?? []).find(({ id }) => id === collection.parent);
  return (
    <div className="page">
      <Title>{collection.title || shell.untitled}</Title>
      {parent && (
        <p className="muted">
          <Link href={`/o/${organization}/c/${parent.id}`}>{parent.title}</Link>
        </p>
      )}
      <header className="page-header">
        <h1>{collection.title || shell.untitled}</h1>
        {permissions.create && (
          <Button kind="primary" icon="plus" onPress={() => setDialog("new")}>
            {space.newSpaceHere}
          </Button>
        )}
        {permissions.admin && <Menu label={shell.moreActions} commands={commands} />}
      </header>
      {collection.description && <p className="space-collection-text">{collection.description}</p>}
      {spaces.isPending && <Loading />}
      {spaces.isError && <ErrorState error={spaces.error} onRetry={() => void spaces.refetch()} />}
      {spaces.data?.length === 0 && inside.length === 0 && (
        <EmptyState title={space.noSpaces} action={permissions.create && <Button onPress={() => setDialog("new")}>{space.newSpaceHere}</Button>}>
          {space.noSpacesHint}
        </EmptyState>
      )}
      {(inside.length > 0 || (spaces.data ?? []).length > 0) && (
        <ul className="list">
          {inside.map(({ id, title }) => (
            <li key={id}>
              <Icon name="collection" />
              <Link href={`/o/${organization}/c/${id}`}>{title || shell.untitled}</Link>
            </li>
          ))}
          {(spaces.data ?? []).map((one) => (
            <li key={one.id}>
              {one.emoji ? <span>{emojiText(one.emoji)}</span> : <Icon name="space" />}
              <Link href={`/o/${organization}/s/${one.id}`}>{one.title || shell.untitled}</Link>
              <span className="grow" />
              <span className="muted">
                <Time at={one.updatedAt} />
              </span>
              {one.permissions.admin && (
                <Menu
                  label={space.actionsOf(one.title)}
                  commands={[{ id: "move", label: space.move, icon: "collection", run: () => setMoving(one.id) }]}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <CollectionDialogs
        organization={organization}
        collection={collection}
        spaces={spaces.data?.length ?? 0}
        dialog={dialog}
        onClose={() => setDialog(undefined)}
      />
      {isAccessShown && (
        <Suspense fallback={null}>
          <CollectionAccess organization={organization} collection={collection} onClose={() => setIsAccessShown(false)} />
        </Suspense>
      )}
      {moving !== undefined && (
        <SpaceMove organization={organization} collection={collectionId} spaceId={moving} onClose={() => setMoving(undefined)} />
      )}
    </div>
  );
}
