import { useState } from "react";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { spaceQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Field, Form } from "../sites/parts";
import { Button, Dialog, notify, Time } from "../ui";
import { FormError, Remark } from "./parts";
import { refusalOf } from "./refusal";

interface Props {
  organization: string;
  space: Schemas["Space"];
}

/** Returns a change that takes a space out of the trash. */
function useRestore({ organization, space }: Props) {
  const { spaceSettings } = useMessages();
  return useChange(() => data(client.POST("/spaces/{spaceId}/restore", { params: { path: { spaceId: space.id } } })), {
    forget: [spaceQuery(space.id).queryKey, spacesQuery(organization).queryKey, ["collection"]],
    onDone: () => notify(spaceSettings.restored(space.title), { tone: "success" }),
  });
}

/** Says that a space is in the trash, and offers to restore it. */
export function InTrash(props: Props) {
  const { spaceSettings } = useMessages();
  const restore = useRestore(props);
  const { deletedAt, permissions } = props.space;
  return (
    <Remark tone="warning">
      <div className="row">
        <span className="grow">
          {spaceSettings.inTrash} {deletedAt && <Time at={deletedAt} />}.
        </span>
        {permissions.admin && (
          <Button isSmall isPending={restore.isPending} onPress={() => restore.mutate()}>
            {spaceSettings.restore}
          </Button>
        )}
      </div>
    </Remark>
  );
}

/** The window that deletes a space after its title was typed. */
export function DeleteSpace({ organization, space, onClose }: Props & { onClose: () => void }) {
  const { spaceSettings, shell } = useMessages();
  const [text, setText] = useState("");
  const [, navigate] = useLocation();
  const restore = useRestore({ organization, space });
  const title = space.title || shell.untitled;
  const remove = useChange(() => data(client.DELETE("/spaces/{spaceId}", { params: { path: { spaceId: space.id } } })), {
    forget: [spaceQuery(space.id).queryKey, spacesQuery(organization).queryKey, ["collection"]],
    isQuiet: true,
    onDone: () => {
      notify(spaceSettings.deleted(title), { action: { label: shell.undo, run: () => restore.mutate() } });
      navigate(`/o/${organization}`);
    },
  });
  return (
    <Dialog title={spaceSettings.deleteTitle(title)} isOpen isBusy={remove.isPending} onClose={onClose}>
      <Form onSubmit={() => remove.mutate()}>
        <FormError>{refusalOf(remove.error)?.reason}</FormError>
        <p>{spaceSettings.deletionHint}</p>
        <Field label={spaceSettings.typeTitle(title)} value={text} onChange={setText} autoFocus />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose} isDisabled={remove.isPending}>
            {shell.cancel}
          </Button>
          <Button kind="danger" type="submit" isPending={remove.isPending} isDisabled={text.trim() !== title}>
            {shell.delete}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
