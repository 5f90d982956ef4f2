import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf } from "../api/place";
import { collectionsQuery, spaceQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { SpaceMove } from "../space/collection-dialogs";
import { Button, notify, Select, Switch } from "../ui";
import type { SettingsProps } from ".";
import { Identity } from "./identity";
import { MergeRules } from "./merge-rules";
import { ReadOnly } from "./parts";
import { DeleteSpace } from "./trash";

type Space = Schemas["Space"];
type EditMode = Schemas["SpaceEditMode"];

/** The general settings of a space: its name, how it is edited, its rules and its place. */
export default function General({ place, found: space }: SettingsProps) {
  const { spaceSettings } = useMessages();
  const { organization } = place;
  const isAdmin = space.permissions.admin;
  return (
    <>
      {!isAdmin && <ReadOnly />}
      <Part title={spaceSettings.identity}>
        <div className="stack sites-narrow">
          <Identity organization={organization} space={space} />
        </div>
      </Part>
      <Part title={spaceSettings.visibility} hint={spaceSettings.visibilityHint}>
        <p className="settings-text">
          {spaceSettings.visibilities[space.visibility] ?? space.visibility}{" "}
          <Link href={addressOf(place, "~/settings/access")}>{spaceSettings.changeAccess}</Link>
        </p>
      </Part>
      <Part title={spaceSettings.editing}>
        <Editing space={space} />
      </Part>
      <Part title={spaceSettings.rules} hint={spaceSettings.rulesHint}>
        <MergeRules organization={organization} space={space} />
      </Part>
      <PlaceAndCopies organization={organization} space={space} />
    </>
  );
}

/** The edit mode of a space, and its use as a template. */
function Editing({ space }: { space: Space }) {
  const { spaceSettings, shell } = useMessages();
  const change = useChange(
    ({ mode }: { mode: EditMode; isUndo?: boolean }) => data(client.PATCH("/spaces/{spaceId}", { params: { path: { spaceId: space.id } }, body: { editMode: mode } })),
    {
      forget: [spaceQuery(space.id).queryKey],
      onDone: (_, { mode, isUndo }) => {
        if (isUndo) return;
        const action = { label: shell.undo, run: () => change.mutate({ mode: mode === "live" ? "locked" : "live", isUndo: true }) };
        notify(`${spaceSettings.editMode}: ${spaceSettings.editModes[mode]}`, { tone: "success", action });
      },
    },
  );
  const mode = (change.isPending ? change.variables.mode : space.editMode) ?? "live";
  const options = (["live", "locked"] as const).map((id) => ({ id, label: spaceSettings.editModes[id], description: spaceSettings.editModeHints[id] }));
  return (
    <div className="stack sites-narrow">
      <Select
        label={spaceSettings.editMode}
        options={options}
        value={mode}
        onChange={(next) => change.mutate({ mode: next })}
        description={spaceSettings.editModeHints[mode]}
        isDisabled={!space.permissions.admin}
      />
      <Template space={space} />
    </div>
  );
}

function Template({ space }: { space: Space }) {
  const { spaceSettings } = useMessages();
  const templates = useQuery({ queryKey: ["templates"], queryFn: () => data(client.GET("/bindery/templates")) });
  const change = useChange((template: boolean) => data(client.PATCH("/spaces/{spaceId}", { params: { path: { spaceId: space.id } }, body: { template } })), {
    forget: [["templates"]],
    onDone: () => notify(spaceSettings.saved, { tone: "success" }),
  });
  const isTemplate = (templates.data?.items ?? []).some(({ id }) => id === space.id);
  return (
    <Switch
      isSelected={change.isPending ? change.variables : isTemplate}
      onChange={(template) => change.mutate(template)}
      isDisabled={!space.permissions.admin || templates.data === undefined}
    >
      {spaceSettings.template}
    </Switch>
  );
}

/** The ways to move, copy and delete a space. */
function PlaceAndCopies({ organization, space }: { organization: string; space: Space }) {
  const { spaceSettings, shell, space: texts } = useMessages();
  const [dialog, setDialog] = useState<"move" | "delete">();
  const [, navigate] = useLocation();
  const collections = useQuery(collectionsQuery(organization));
  const parent = collections.data?.find(({ id }) => id === space.parent);
  const duplicate = useChange(() => data(client.POST("/spaces/{spaceId}/duplicate", { params: { path: { spaceId: space.id } } })), {
    forget: [spacesQuery(organization).queryKey, ["collection"]],
    onDone: (made) => {
      notify(spaceSettings.duplicated(made.title), { tone: "success" });
      navigate(addressOf({ organization, space: made.id }));
    },
  });
  const close = () => setDialog(undefined);
  return (
    <>
      <Part title={spaceSettings.place} hint={spaceSettings.duplicateHint}>
        <div className="stack">
          <p>{space.parent === undefined ? spaceSettings.placeTop : spaceSettings.placeNow(parent?.title ?? "…")}</p>
          <div className="row">
            {space.permissions.admin && (
              <Button icon="collection" onPress={() => setDialog("move")}>
                {texts.move}
              </Button>
            )}
            <Button icon="copy" isPending={duplicate.isPending} onPress={() => duplicate.mutate()}>
              {shell.duplicate}
            </Button>
          </div>
        </div>
      </Part>
      {space.permissions.admin && (
        <Part title={spaceSettings.deletion} hint={spaceSettings.deletionHint}>
          <Button kind="danger" icon="trash" onPress={() => setDialog("delete")}>
            {spaceSettings.deletion}
          </Button>
        </Part>
      )}
      {dialog === "move" && <MoveSpace organization={organization} space={space} onClose={close} />}
      {dialog === "delete" && <DeleteSpace organization={organization} space={space} onClose={close} />}
    </>
  );
}

function MoveSpace({ organization, space, onClose }: { organization: string; space: Space; onClose: () => void }) {
  const cache = useQueryClient();
  const close = () => {
    void cache.invalidateQueries({ queryKey: spaceQuery(space.id).queryKey });
    onClose();
  };
  return <SpaceMove organization={organization} collection={space.parent ?? ""} spaceId={space.id} onClose={close} />;
}
