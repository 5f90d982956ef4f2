import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { Badge, Button, EmptyState, ErrorState, Loading, type Command, Menu, Time, notify } from "../ui";
import { useCopy } from "./copy-field";
import { InviteDialog } from "./invite";
import { InviteLinks } from "./invite-links";
import { type Invitation, invitationsQuery } from "./queries";
import { useRoleName } from "./roles";
import { useChange } from "./use-change";

/** The invitations that nobody has accepted yet, and the links by which people join. */
export function Invitations({ organization }: { organization: string }) {
  const { people } = useMessages();
  const [isInviting, setIsInviting] = useState(false);
  const found = useQuery(invitationsQuery(organization));
  return (
    <>
      <section>
        <div className="people-tools">
          <h2 className="grow">{people.openInvitations}</h2>
          <Button kind="primary" icon="plus" onPress={() => setIsInviting(true)}>
            {people.invite}
          </Button>
        </div>
        {found.isPending && <Loading />}
        {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
        {found.data?.length === 0 && <EmptyState title={people.noInvitations}>{people.noInvitationsHint}</EmptyState>}
        {found.isSuccess && found.data.length > 0 && (
          <ul className="list">
            {found.data.map((invitation) => (
              <InvitationRow key={invitation.id} organization={organization} invitation={invitation} />
            ))}
          </ul>
        )}
      </section>
      <InviteLinks organization={organization} />
      <InviteDialog organization={organization} isOpen={isInviting} onClose={() => setIsInviting(false)} />
    </>
  );
}

function InvitationRow({ organization, invitation }: { organization: string; invitation: Invitation }) {
  const { people, shell } = useMessages();
  const roleName = useRoleName();
  const copy = useCopy();
  const { id, email, role, urls, sentAt, expiresAt } = invitation;
  const forget = [["org", organization, "invitations"]];
  const path = { organizationId: organization };
  const invite = () => data(client.POST("/orgs/{organizationId}/invites", { params: { path }, body: { emails: [email], role } }));
  const resend = useChange(invite, { forget, onDone: () => notify(people.resent(email), { tone: "success" }) });
  const remove = useChange(
    () => data(client.DELETE("/bindery/orgs/{organizationId}/invitations/{invitationId}", { params: { path: { ...path, invitationId: id } } })),
    { forget, onDone: () => notify(people.invitationDeleted(email), { action: { label: shell.undo, run: () => resend.mutate() } }) },
  );
  const commands: Command[] = [
    { id: "resend", label: people.resend, icon: "send", run: () => resend.mutate() },
    { id: "delete", label: people.deleteInvitation, icon: "trash", isDanger: true, run: () => remove.mutate() },
  ];
  return (
    <li className="people-wrap">
      <span className="people-who-text grow">
        <strong className="people-break">{email}</strong>
        <small className="muted">
          {sentAt ? people.mailed : people.notMailed} · {people.expires} <Time at={expiresAt} />
        </small>
      </span>
      <Badge>{roleName(role)}</Badge>
      <Button isSmall icon="link" aria-label={people.copyLinkFor(email)} onPress={() => copy(urls.accept)}>
        {people.copyLink}
      </Button>
      <Menu label={people.actionsOf(email)} commands={commands} />
    </li>
  );
}
