import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, startChangeRequest } from "../api/place";
import { spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Avatar, Badge, Button, EmptyState, ErrorState, Icon, Loading, notify, Select, Time } from "../ui";

type Status = Schemas["ChangeRequestStatus"];

const STATUSES = ["open", "draft", "merged", "archived"] as const;

/** The change requests of a space or of an organization. */
export function List({ organization, space }: { organization: string; space?: string | undefined }) {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  const [status, setStatus] = useState<Status>("open");
  const spaces = useQuery(spacesQuery(organization));
  const titles = new Map((spaces.data ?? []).map(({ id, title }) => [id, title]));
  const found = useQuery({
    queryKey: space === undefined ? ["org", organization, "changes", status] : ["space", space, "changes", status],
    queryFn: () => {
      const query = { status, limit: 100 };
      if (space === undefined) return data(client.GET("/orgs/{organizationId}/change-requests", { params: { path: { organizationId: organization }, query } }));
      return data(client.GET("/spaces/{spaceId}/change-requests", { params: { path: { spaceId: space }, query } }));
    },
  });
  const start = async () => {
    if (space === undefined) return;
    try {
      const made = await startChangeRequest(space);
      navigate(addressOf({ organization, space, changeRequest: String(made.number) }));
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { tone: "danger" });
    }
  };
  const items = found.data?.items ?? [];
  return (
    <div className="page">
      <Title>{review.list}</Title>
      <header className="page-header">
        <h1>{review.list}</h1>
        <Select
          label={review.status}
          isLabelHidden
          options={STATUSES.map((id) => ({ id, label: review.statuses[id] }))}
          value={status}
          onChange={setStatus}
        />
        {space !== undefined && (
          <Button kind="primary" icon="plus" onPress={() => void start()}>
            {review.newChangeRequest}
          </Button>
        )}
      </header>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <EmptyState title={review.noneFound} />}
      {items.length > 0 && (
        <ul className="list">
          {items.map((item) => (
            <li key={item.id}>
              <Icon name="changes" />
              <Link href={addressOf({ organization, space: item.space, changeRequest: String(item.number) }, "~/review")}>
                {item.subject || review.untitled}
              </Link>
              <span className="muted">#{item.number}</span>
              {item.comments > 0 && <Badge>{item.comments}</Badge>}
              <span className="grow" />
              {space === undefined && <span className="muted">{titles.get(item.space)}</span>}
              <Avatar name={item.createdBy.displayName} />
              <span className="muted">
                <Time at={item.updatedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
