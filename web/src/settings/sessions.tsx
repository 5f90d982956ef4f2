import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { Badge, Button, Confirm, ErrorState, Loading, notify, Time } from "../ui";
import { agentOf } from "./agent";
import { type Session, sessionsQuery } from "./queries";

/** The browsers in which the person is signed in. */
export function Sessions() {
  const { settings } = useMessages();
  const [isEnding, setIsEnding] = useState(false);
  const found = useQuery(sessionsQuery);
  const endOthers = useChange(() => data(client.DELETE("/bindery/user/sessions")), {
    forget: [sessionsQuery.queryKey],
    onDone: () => {
      setIsEnding(false);
      notify(settings.othersEnded, { tone: "success" });
    },
  });
  const sessions = found.data ?? [];
  const hasOthers = sessions.some(({ current }) => !current);
  return (
    <Part
      title={settings.sessions}
      hint={settings.sessionsHint}
      actions={
        hasOthers && (
          <Button kind="danger" isSmall onPress={() => setIsEnding(true)}>
            {settings.endOthers}
          </Button>
        )
      }
    >
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {sessions.length > 0 && (
        <ul className="list">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      <Confirm
        title={settings.endOthersTitle}
        action={settings.endOthers}
        isOpen={isEnding}
        isBusy={endOthers.isPending}
        onClose={() => setIsEnding(false)}
        onConfirm={() => endOthers.mutate()}
      >
        <p>{settings.endOthersHint}</p>
      </Confirm>
    </Part>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { settings } = useMessages();
  const { browser, system } = agentOf(session.agent);
  const name = browser && system ? settings.onSystem(browser, system) : (browser ?? system ?? (session.agent.slice(0, 60) || settings.unknownProgram));
  const end = useChange(() => data(client.DELETE("/bindery/user/sessions/{sessionId}", { params: { path: { sessionId: session.id } } })), {
    forget: [sessionsQuery.queryKey],
    onDone: () => notify(settings.sessionEnded, { tone: "success" }),
  });
  return (
    <li className="settings-item">
      <div className="grow">
        <p className="row">
          <strong title={session.agent}>{name}</strong>
          {session.current && <Badge tone="success">{settings.thisBrowser}</Badge>}
        </p>
        <p className="hint-text">
          {session.address && `${session.address} · `}
          {settings.signedIn} {settings.ways[session.way]} <Time at={session.createdAt} />
          {" · "}
          {settings.used} <Time at={session.lastUsedAt} />
          {" · "}
          {settings.ends} <Time at={session.expiresAt} />
        </p>
      </div>
      {!session.current && (
        <Button isSmall aria-label={settings.endSessionOf(name)} isPending={end.isPending} onPress={() => end.mutate()}>
          {settings.endSession}
        </Button>
      )}
    </li>
  );
}
