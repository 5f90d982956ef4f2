import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../api/client";
import { collectionsQuery, organizationQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Badge, Button, Dialog, ErrorState, IconButton, Loading, notify, Select } from "../ui";
import { useCopy } from "./copy-field";
import { inviteLinksQuery } from "./queries";
import { type Role, RoleSelect } from "./roles";
import { useChange } from "./use-change";

type InviteLink = Schemas["OrganizationInviteLink"];

/** Returns the address at which a person with an account joins by a link. */
function addressOfLink(organization: string, id: string): string {
  return `${location.origin}/app/o/${organization}/members/join/${id}`;
}

/** The links by which everybody who knows them joins. */
export function InviteLinks({ organization }: { organization: string }) {
  const { people } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const found = useQuery(inviteLinksQuery(organization));
  const isOff = useQuery(organizationQuery(organization)).data?.inviteLinks === false;
  return (
    <section className="page-section" aria-labelledby="invite-links">
      <div className="people-tools">
        <h2 className="grow" id="invite-links">
          {people.inviteLinks}
        </h2>
        <Button icon="link" isDisabled={isOff} onPress={() => setIsCreating(true)}>
          {people.newLink}
        </Button>
      </div>
      <p className="muted people-lead">{isOff ? people.linksOff : people.linksHint}</p>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list">
          {found.data.map((link) => (
            <LinkRow key={link.id} organization={organization} link={link} />
          ))}
        </ul>
      )}
      {isCreating && <NewLink organization={organization} onClose={() => setIsCreating(false)} />}
    </section>
  );
}

function LinkRow({ organization, link }: { organization: string; link: InviteLink }) {
  const { people } = useMessages();
  const copy = useCopy();
  const forget = [["org", organization, "link-invites"]];
  const path = { organizationId: organization, inviteId: link.id };
  const name = "space" in link ? people.onSpace(link.space.title) : "collection" in link ? people.onCollection(link.collection.title) : people.onOrganization;
  const role = "role" in link ? link.role : link.level;
  const update = useChange(
    (changed: Role) => {
      const body = "role" in link ? { role: changed } : { level: changed };
      return data(client.PATCH("/orgs/{organizationId}/link-invites/{inviteId}", { params: { path }, body }));
    },
    { forget },
  );
  const remove = useChange(() => data(client.DELETE("/orgs/{organizationId}/link-invites/{inviteId}", { params: { path } })), {
    forget,
    onDone: () => notify(people.linkDeleted),
  });
  return (
    <li className="people-wrap">
      <strong className="grow people-break">{name}</strong>
      {link.redundant && <Badge tone="warning">{people.redundant}</Badge>}
      <div className="people-role">
        <RoleSelect label={people.roleOfLink(name)} isLabelHidden value={role} onChange={(changed) => update.mutate(changed)} hasGuest={"role" in link} />
      </div>
      <Button isSmall icon="copy" aria-label={people.copyLinkFor(name)} onPress={() => copy(addressOfLink(organization, link.id))}>
        {people.copyLink}
      </Button>
      <IconButton icon="trash" label={people.deleteLink(name)} onPress={() => remove.mutate()} />
    </li>
  );
}

function NewLink({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { people, shell } = useMessages();
  const [target, setTarget] = useState("organization");
  const [role, setRole] = useState<Role>("read");
  const copy = useCopy();
  const spaces = useQuery(spacesQuery(organization));
  const collections = useQuery(collectionsQuery(organization));
  const options = [
    { id: "organization", label: people.onOrganization },
    ...(collections.data ?? []).map(({ id, title }) => ({ id: `collection:${id}`, label: people.onCollection(title || shell.untitled) })),
    ...(spaces.data ?? []).filter(({ deletedAt }) => !deletedAt).map(({ id, title }) => ({ id: `space:${id}`, label: people.onSpace(title || shell.untitled) })),
  ];
  const create = useChange(
    () => {
      const [kind, id = ""] = target.split(":");
      const body = kind === "space" ? { level: role, space: id } : kind === "collection" ? { level: role, collection: id } : { role };
      return data(client.POST("/orgs/{organizationId}/link-invites", { params: { path: { organizationId: organization } }, body }));
    },
    {
      forget: [["org", organization, "link-invites"]],
      isQuiet: true,
      onDone: (link) => {
        copy(addressOfLink(organization, link.id));
        onClose();
      },
    },
  );
  return (
    <Dialog title={people.newLink} isOpen isBusy={create.isPending} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Select label={people.linkTarget} options={options} value={target} onChange={setTarget} description={people.linkTargetHint} />
        <RoleSelect label={people.role} value={role} onChange={setRole} />
        {create.error && (
          <p className="error-text" role="alert">
            {create.error.message}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            {people.createAndCopy}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
