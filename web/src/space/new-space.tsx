import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { collectionsQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Select, TextField } from "../ui";
import { Form } from "../ui/form";

/** The window that creates a space. */
export function NewSpace({ organization, isOpen, onClose }: { organization: string; isOpen: boolean; onClose: () => void }) {
  const { home, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [parent, setParent] = useState("");
  const [, navigate] = useLocation();
  const collections = useQuery(collectionsQuery(organization));
  const create = useChange(
    () => {
      const body = { title: title.trim(), ...(parent && { parent }) };
      return data(client.POST("/orgs/{organizationId}/spaces", { params: { path: { organizationId: organization } }, body }));
    },
    {
      forget: [["org", organization, "spaces"]],
      isQuiet: true,
      onDone: ({ id }) => {
        onClose();
        setTitle("");
        navigate(`/o/${organization}/s/${id}`);
      },
    },
  );
  const options = [{ id: "", label: home.noCollection }, ...(collections.data ?? []).map(({ id, title }) => ({ id, label: title }))];
  return (
    <Form title={home.newSpace} action={shell.create} isOpen={isOpen} isBusy={create.isPending} onClose={onClose} onSubmit={() => create.mutate()}>
      <TextField label={home.spaceTitle} value={title} onChange={setTitle} autoFocus isRequired error={create.error?.message} />
      {options.length > 1 && <Select label={home.inCollection} options={options} value={parent} onChange={setParent} />}
    </Form>
  );
}
