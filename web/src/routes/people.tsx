import "../people/people.css";

import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { organizationQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Invitations } from "../people/invitations";
import { JoinPage } from "../people/join";
import { MemberPage } from "../people/member";
import { Members } from "../people/members";
import { type Tab, Tabs } from "../ui/tabs";
import { TeamPage } from "../people/team";
import { Teams } from "../people/teams";
import { Title } from "../shell/title";

/** The people of an organization: members, teams and invitations. */
export default function People({ organization }: { organization: string }) {
  const { people } = useMessages();
  const [location] = useLocation();
  const base = `/o/${organization}/members`;
  const [name, id] = location.slice(base.length).split("/").filter(Boolean);
  const isAdmin = useQuery(organizationQuery(organization)).data?.permissions.admin === true;
  if (name === "join" && id !== undefined) return <JoinPage organization={organization} inviteId={id} />;
  if (name === "teams" && id !== undefined) {
    return (
      <div className="page">
        <TeamPage key={id} organization={organization} teamId={id} />
      </div>
    );
  }
  if (name !== undefined && name !== "teams" && name !== "invitations") {
    return (
      <div className="page">
        <MemberPage key={name} organization={organization} userId={name} />
      </div>
    );
  }
  const tabs: Tab[] = [
    { to: base, label: people.title, isExact: true },
    { to: `${base}/teams`, label: people.teams },
    ...(isAdmin ? [{ to: `${base}/invitations`, label: people.invitations }] : []),
  ];
  return (
    <div className="page">
      <Title>{name === "teams" ? people.teams : name === "invitations" ? people.invitations : people.title}</Title>
      <header className="page-header">
        <h1>{people.title}</h1>
      </header>
      <Tabs label={people.title} tabs={tabs} />
      {name === undefined && <Members organization={organization} />}
      {name === "teams" && <Teams organization={organization} />}
      {name === "invitations" && <Invitations organization={organization} />}
    </div>
  );
}
