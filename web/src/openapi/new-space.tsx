import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Select, TextField } from "../ui";
import { Form } from "../ui/form";
import type { SpecRef } from "./queries";

type Grouping = "by-tag" | "by-operation";

/** The window that creates a space with the pages of a specification, and opens it. */
export function NewSpaceOfSpec({ organization, slug, onClose }: SpecRef & { onClose: () => void }) {
  const { openapi, home, shell } = useMessages();
  const [title, setTitle] = useState(slug);
  const [grouping, setGrouping] = useState<Grouping>("by-tag");
  const [, navigate] = useLocation();
  const create = useChange(
    () => {
      const computedSource = {
        type: "builtin:openapi" as const,
        props: { overview: true, models: true, downloadLink: true, ...(grouping !== "by-tag" && { grouping }) },
        dependencies: { spec: { ref: { kind: "openapi" as const, spec: slug } } },
      };
      const body = { title: title.trim(), computedSource };
      return data(client.POST("/orgs/{organizationId}/spaces", { params: { path: { organizationId: organization } }, body }));
    },
    {
      forget: [["org", organization, "spaces"]],
      isQuiet: true,
      onDone: ({ id }) => {
        onClose();
        navigate(`/o/${organization}/s/${id}`);
      },
    },
  );
  const options = (["by-tag", "by-operation"] as const).map((id) => ({ id, label: openapi.groupings[id] }));
  return (
    <Form title={openapi.newSpace} action={shell.create} isBusy={create.isPending} onClose={onClose} onSubmit={() => create.mutate()}>
      <TextField label={home.spaceTitle} value={title} onChange={setTitle} autoFocus isRequired error={create.error?.message} />
      <Select label={openapi.grouping} options={options} value={grouping} onChange={setGrouping} description={openapi.newSpaceHint} />
    </Form>
  );
}
