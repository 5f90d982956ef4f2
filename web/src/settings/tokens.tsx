import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { CopyField } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { Badge, Button, Confirm, Dialog, EmptyState, ErrorState, Loading, notify, Time } from "../ui";
import { NewToken } from "./new-token";
import { type Token, tokensQuery } from "./queries";

/** The personal tokens of the person. */
export default function Tokens({ organization }: { organization: string }) {
  const { settings, shell } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [revoking, setRevoking] = useState<Token>();
  const found = useQuery(tokensQuery);
  const revoke = useChange((token: Token) => data(client.DELETE("/bindery/user/tokens/{tokenId}", { params: { path: { tokenId: token.id } } })), {
    forget: [tokensQuery.queryKey],
    onDone: (_, { name }) => {
      setRevoking(undefined);
      notify(settings.revoked(name), { tone: "success" });
    },
  });
  const tokens = [...(found.data ?? [])].reverse();
  return (
    <Part
      title={settings.views.tokens}
      hint={settings.tokensHint}
      actions={
        <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
          {settings.newToken}
        </Button>
      }
    >
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && tokens.length === 0 && <EmptyState title={settings.noTokens}>{settings.noTokensHint}</EmptyState>}
      {tokens.length > 0 && (
        <ul className="list" aria-label={settings.views.tokens}>
          {tokens.map((token) => (
            <TokenRow key={token.id} organization={organization} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      {isCreating && (
        <NewToken
          organization={organization}
          onClose={() => setIsCreating(false)}
          onCreated={(text) => {
            setIsCreating(false);
            setSecret(text);
          }}
        />
      )}
      <Dialog
        title={settings.tokenCreated}
        isOpen={secret !== undefined}
        onClose={() => setSecret(undefined)}
        footer={
          <Button kind="primary" onPress={() => setSecret(undefined)}>
            {shell.close}
          </Button>
        }
      >
        <CopyField label={settings.secret} value={secret ?? ""} description={settings.secretHint} />
      </Dialog>
      <Confirm
        title={revoking ? settings.revokeTitle(revoking.name) : ""}
        action={settings.revoke}
        isOpen={revoking !== undefined}
        isBusy={revoke.isPending}
        onClose={() => setRevoking(undefined)}
        onConfirm={() => revoking && revoke.mutate(revoking)}
      >
        <p>{settings.revokeHint}</p>
      </Confirm>
    </Part>
  );
}

function TokenRow({ organization, token, onRevoke }: { organization: string; token: Token; onRevoke: () => void }) {
  const { settings } = useMessages();
  const { name, prefix, scopes, organizations = [], spaces = [], createdAt, lastUsedAt, expiresAt, parent } = token;
  const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
  const isOfThis = organizations.length === 1 && organizations[0] === organization;
  return (
    <li className="settings-item">
      <div className="grow">
        <p className="row">
          <strong className="people-break">{name}</strong>
          <code className="settings-code">{prefix}…</code>
          {scopes.map((scope) => (
            <Badge key={scope} tone={scope === "admin" ? "warning" : "neutral"}>
              {settings.scopeNames[scope]}
            </Badge>
          ))}
          {organizations.length > 0 && <Badge tone="info">{isOfThis ? settings.oneOrganization : settings.limitedOrganizations(organizations.length)}</Badge>}
          {spaces.length > 0 && <Badge tone="info">{settings.limitedTo(spaces.length)}</Badge>}
          {isExpired && <Badge tone="danger">{settings.expired}</Badge>}
          {parent !== undefined && <Badge>{settings.madeByToken}</Badge>}
        </p>
        <p className="hint-text">
          {settings.created} <Time at={createdAt} />
          {" · "}
          {lastUsedAt === undefined ? (
            settings.neverUsed
          ) : (
            <>
              {settings.used} <Time at={lastUsedAt} />
            </>
          )}
          {" · "}
          {expiresAt === undefined ? (
            settings.neverEnds
          ) : (
            <>
              {isExpired ? settings.ended : settings.ends} <Time at={expiresAt} />
            </>
          )}
        </p>
      </div>
      <Button kind="danger" isSmall aria-label={settings.revokeNamed(name)} onPress={onRevoke}>
        {settings.revoke}
      </Button>
    </li>
  );
}
