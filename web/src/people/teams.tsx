import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data } from "../api/client";
import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Button, EmptyState, ErrorState, Icon, Loading, TextField } from "../ui";
import { Form } from "../ui/form";
import { teamsQuery } from "./queries";
import { useChange } from "./use-change";

/** The teams of an organization. */
export function Teams({ organization }: { organization: string }) {
  const { people } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const found = useQuery(teamsQuery(organization));
  const isAdmin = useQuery(organizationQuery(organization)).data?.permissions.admin === true;
  const newTeam = (
    <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
      {people.newTeam}
    </Button>
  );
  return (
    <>
      <div className="people-tools">
        <p className="grow muted">{people.teamsHint}</p>
        {isAdmin && newTeam}
      </div>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.data?.length === 0 && <EmptyState title={people.noTeams} />}
      {found.isSuccess && found.data.length > 0 && (
        <ul className="list">
          {found.data.map(({ id, title, members, spaces }) => (
            <li key={id}>
              <Icon name="members" />
              <Link href={`/o/${organization}/members/teams/${id}`}>{title}</Link>
              <span className="grow" />
              <span className="muted">{people.memberCount(members)}</span>
              <span className="muted people-wide">{people.spaceCount(spaces)}</span>
            </li>
          ))}
        </ul>
      )}
      {isCreating && <NewTeam organization={organization} onClose={() => setIsCreating(false)} />}
    </>
  );
}

function NewTeam({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { people, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [, navigate] = useLocation();
  const create = useChange(
    () => data(client.PUT("/orgs/{organizationId}/teams", { params: { path: { organizationId: organization } }, body: { title: title.trim() } })),
    {
      forget: [["org", organization, "teams"]],
      isQuiet: true,
      onDone: ({ id }) => navigate(`/o/${organization}/members/teams/${id}`),
    },
  );
  return (
    <Form title={people.newTeam} action={shell.create} isBusy={create.isPending} onClose={onClose} onSubmit={() => create.mutate()}>
      <TextField label={people.teamTitle} value={title} onChange={setTitle} autoFocus isRequired error={create.error?.message} />
    </Form>
  );
}
