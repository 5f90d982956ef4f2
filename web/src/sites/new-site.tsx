import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Button, Checkbox, Dialog, Select } from "../ui";
import { Field, Form } from "./parts";
import { sitesQuery, type Visibility } from "./queries";

const VISIBILITIES: readonly Visibility[] = ["public", "unlisted", "share-link", "visitor-auth"];

/** A choice of who can read a site. */
export function VisibilitySelect({ value, onChange }: { value: Visibility; onChange: (value: Visibility) => void }) {
  const { sites } = useMessages();
  const options = VISIBILITIES.map((id) => ({ id, label: sites.visibilities[id], description: sites.visibilityHints[id] }));
  return <Select label={sites.audience} options={options} value={value} onChange={onChange} description={sites.visibilityHints[value]} />;
}

/** The window that creates a site. */
export function NewSite({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { sites, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [visibility, setVisibility] = useState<Visibility>("public");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [, navigate] = useLocation();
  const spaces = useQuery(spacesQuery(organization));
  const create = useChange(
    () => {
      const body = { title: title.trim(), visibility, ...(chosen.length > 0 && { spaces: [...chosen] }) };
      return data(client.POST("/orgs/{organizationId}/sites", { params: { path: { organizationId: organization } }, body }));
    },
    {
      forget: [sitesQuery(organization).queryKey],
      isQuiet: true,
      onDone: ({ id }) => {
        onClose();
        navigate(`/o/${organization}/sites/${id}`);
      },
    },
  );
  const toggle = (id: string, isChosen: boolean, spaceTitle: string) => {
    setChosen(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id));
    if (isChosen && title === "") setTitle(spaceTitle);
  };
  return (
    <Dialog title={shell.newSite} isOpen isBusy={create.isPending} onClose={onClose}>
      <Form onSubmit={() => create.mutate()}>
        <Field label={sites.siteTitle} value={title} onChange={setTitle} autoFocus isRequired minLength={2} error={create.error?.message} />
        {spaces.isSuccess && spaces.data.length > 0 && (
          <fieldset className="sites-choices">
            <legend>{sites.spacesOfSite}</legend>
            <div className="sites-choice-list">
              {spaces.data.map((space) => (
                <Checkbox
                  key={space.id}
                  isSelected={chosen.includes(space.id)}
                  onChange={(isChosen) => toggle(space.id, isChosen, space.title)}
                >
                  {space.title || shell.untitled}
                </Checkbox>
              ))}
            </div>
            <p className="hint-text">{sites.spacesLater}</p>
          </fieldset>
        )}
        <VisibilitySelect value={visibility} onChange={setVisibility} />
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            {shell.create}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
