import "./home.css";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { organizationQuery, sessionQuery, spacesQuery } from "../api/queries";
import { FirstSteps } from "../home/first-steps";
import { Places } from "../home/places";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { NewSpace } from "../space/new-space";
import { Badge, Button, ErrorState, Icon, Loading, Time } from "../ui";

/** The home page: the first steps, what waits, what the person works on, and all spaces. */
export default function Home({ organization }: { organization: string }) {
  const { home } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const found = useQuery(organizationQuery(organization));
  const mayCreate = found.data?.permissions.createContent === true;
  return (
    <div className="page">
      <Title>{home.title}</Title>
      <header className="page-header">
        <h1>{found.data?.title ?? home.title}</h1>
        {mayCreate && (
          <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
            {home.newSpace}
          </Button>
        )}
      </header>
      <FirstSteps organization={organization} onNewSpace={() => setIsCreating(true)} />
      <ChangeRequests organization={organization} />
      <Places organization={organization} onNew={mayCreate ? () => setIsCreating(true) : undefined} />
      <NewSpace organization={organization} isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </div>
  );
}

function ChangeRequests({ organization }: { organization: string }) {
  const { home } = useMessages();
  const session = useQuery(sessionQuery);
  const user = session.data?.user.id;
  if (user === undefined) return null;
  return (
    <>
      <ChangeRequestSection
        organization={organization}
        title={home.waiting}
        empty={home.nothingWaits}
        filter={{ requestedReviewer: user, status: "open" }}
      />
      <ChangeRequestSection organization={organization} title={home.mine} empty={home.nothingMine} filter={{ creator: user, status: "draft" }} />
    </>
  );
}

interface Filter {
  requestedReviewer?: string;
  creator?: string;
  status?: Schemas["ChangeRequestStatus"];
}

function ChangeRequestSection({ organization, title, empty, filter }: { organization: string; title: string; empty: string; filter: Filter }) {
  const { home } = useMessages();
  const found = useQuery({
    queryKey: ["org", organization, "changes", filter],
    queryFn: ({ signal }) => {
      const params = { path: { organizationId: organization }, query: { ...filter, limit: 20 } };
      return data(client.GET("/orgs/{organizationId}/change-requests", { params, signal }));
    },
  });
  const spaces = useQuery(spacesQuery(organization));
  const titles = new Map((spaces.data ?? []).map(({ id, title }) => [id, title]));
  const items = (found.data?.items ?? []).filter(({ status }) => status === "open" || status === "draft").slice(0, 8);
  return (
    <section className="page-section">
      <h2>{title}</h2>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <p className="muted">{empty}</p>}
      {items.length > 0 && (
        <ul className="list">
          {items.map((item) => (
            <li key={item.id}>
              <Icon name="changes" />
              <Link href={`/o/${organization}/s/${item.space}/~/changes/${item.number}`}>
                {item.subject || home.changeRequest(item.number)}
              </Link>
              <Badge tone={item.status === "open" ? "success" : "neutral"}>{item.status === "open" ? home.open : home.draft}</Badge>
              <span className="grow" />
              <span className="muted">{titles.get(item.space)}</span>
              <span className="muted">
                <Time at={item.updatedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
