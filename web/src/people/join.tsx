import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { sessionQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Button } from "../ui";
import { useChange } from "./use-change";

/** The page to which an invite link leads: the person joins the organization. */
export function JoinPage({ organization, inviteId }: { organization: string; inviteId: string }) {
  const { people } = useMessages();
  const [, navigate] = useLocation();
  const session = useQuery(sessionQuery);
  const join = useChange(
    async () => {
      await data(client.POST("/orgs/{organizationId}/invites/{inviteId}", { params: { path: { organizationId: organization, inviteId } } }));
    },
    { forget: [["org", organization], ["orgs"]], isQuiet: true, onDone: () => navigate(`/o/${organization}`) },
  );
  return (
    <div className="empty">
      <Title>{people.joinTitle}</Title>
      <h1>{people.joinTitle}</h1>
      <p>{people.joinAs(session.data?.user.displayName ?? "", session.data?.user.email ?? "")}</p>
      {join.error && (
        <p className="error-text" role="alert">
          {people.joinFailed} {join.error.message}
        </p>
      )}
      <Button kind="primary" isPending={join.isPending} onPress={() => join.mutate()}>
        {people.join}
      </Button>
    </div>
  );
}
