import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { Badge, Button, Dialog, TextField } from "../ui";
import { parseAddresses } from "./addresses";
import { useCopy } from "./copy-field";
import { type Invitation, invitationsQuery } from "./queries";
import { type Role, RoleSelect } from "./roles";
import { useChange } from "./use-change";

interface Props {
  organization: string;
  isOpen: boolean;
  onClose: () => void;
}

interface Result {
  email: string;
  /** The open invitation; absent if the person is a member. */
  invitation: Invitation | undefined;
}

/** The window that invites people by their mail addresses. */
export function InviteDialog({ organization, isOpen, onClose }: Props) {
  const { people } = useMessages();
  const [results, setResults] = useState<Result[]>();
  const close = () => {
    onClose();
    setResults(undefined);
  };
  return (
    <Dialog title={people.inviteTitle} isOpen={isOpen} onClose={close}>
      {results ? (
        <Results results={results} onMore={() => setResults(undefined)} onClose={close} />
      ) : (
        <InviteForm organization={organization} onClose={close} onDone={setResults} />
      )}
    </Dialog>
  );
}

function InviteForm({ organization, onClose, onDone }: { organization: string; onClose: () => void; onDone: (results: Result[]) => void }) {
  const { people, shell } = useMessages();
  const cache = useQueryClient();
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("edit");
  const { valid, invalid } = parseAddresses(text);
  const invite = useChange(
    async () => {
      const params = { path: { organizationId: organization } };
      await data(client.POST("/orgs/{organizationId}/invites", { params, body: { emails: valid, role } }));
      const open = await cache.fetchQuery({ ...invitationsQuery(organization), staleTime: 0 });
      return valid.map((email) => ({ email, invitation: open.find((one) => one.email.toLowerCase() === email.toLowerCase()) }));
    },
    { forget: [["org", organization, "invitations"]], onDone, isQuiet: true },
  );
  const error = invite.error?.message ?? (invalid.length > 0 ? people.noAddresses(invalid.slice(0, 5).join(", ")) : undefined);
  const canSend = valid.length > 0 && invalid.length === 0 && !invite.isPending;
  const send = () => {
    if (canSend) invite.mutate();
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <TextField
        label={people.addresses}
        description={valid.length > 0 ? people.addressCount(valid.length) : people.addressesHint}
        value={text}
        onChange={(value) => {
          setText(value);
          invite.reset();
        }}
        isMultiline
        autoFocus
        error={error}
      />
      <RoleSelect label={people.role} hasGuest value={role} onChange={setRole} />
      <div className="row">
        <span className="grow" />
        <Button onPress={onClose}>{shell.cancel}</Button>
        <Button kind="primary" type="submit" isDisabled={!canSend} isPending={invite.isPending}>
          {people.sendInvitations(valid.length)}
        </Button>
      </div>
    </form>
  );
}

function Results({ results, onMore, onClose }: { results: Result[]; onMore: () => void; onClose: () => void }) {
  const { people, shell } = useMessages();
  const copy = useCopy();
  const hasUnsent = results.some(({ invitation }) => invitation && invitation.sentAt === undefined);
  return (
    <>
      <ul className="list" aria-label={people.results}>
        {results.map(({ email, invitation }) => (
          <li key={email}>
            <span className="grow people-break">{email}</span>
            {invitation ? <Badge tone="success">{people.invited}</Badge> : <Badge>{people.memberAlready}</Badge>}
            {invitation && (
              <Button isSmall icon="link" aria-label={people.copyLinkFor(email)} onPress={() => copy(invitation.urls.accept)}>
                {people.copyLink}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {hasUnsent && <p className="hint-text">{people.unsentHint}</p>}
      <div className="row">
        <span className="grow" />
        <Button onPress={onMore}>{people.inviteMore}</Button>
        <Button kind="primary" onPress={onClose} autoFocus>
          {shell.close}
        </Button>
      </div>
    </>
  );
}
