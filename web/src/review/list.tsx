import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { all, client, data, type Schemas } from "../api/client";
import { addressOf, startChangeRequest } from "../api/place";
import { sessionQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Avatar, Badge, Button, EmptyState, ErrorState, Icon, Loading, Menu, notify, Select, Time } from "../ui";
import { Choice } from "../ui/choice";
import { CommentCount } from "./comment-count";
import { listKey } from "./queries";

type Status = Schemas["ChangeRequestStatus"];
type Whose = "all" | "mine" | "asked";
type ShownStatus = Status | "active";

const STATUSES = ["active", "open", "draft", "merged", "archived"] as const;
const WHOSE = ["all", "mine", "asked"] as const;
const MAX_ITEMS = 300;
/** Number of change requests that are shown at once. */
const SHOWN_ITEMS = 50;
const TONES = { draft: "neutral", open: "success", archived: "warning", merged: "purple" } as const;

interface Filter {
  status: ShownStatus;
  whose: Whose;
  user: string;
}

/** Reads the change requests that a filter selects, those changed last first. */
async function read(organization: string, space: string | undefined, { status, whose, user }: Filter): Promise<Schemas["ChangeRequest"][]> {
  const statuses: Status[] = status === "active" ? ["open", "draft"] : [status];
  const lists = statuses.map((one) =>
    all<Schemas["ChangeRequest"]>((page) => {
      const query = { status: one, limit: 100, ...(whose === "mine" && { creator: user }), ...(whose === "asked" && { requestedReviewer: user }), ...(page && { page }) };
      if (space === undefined) return data(client.GET("/orgs/{organizationId}/change-requests", { params: { path: { organizationId: organization }, query } }));
      return data(client.GET("/spaces/{spaceId}/change-requests", { params: { path: { spaceId: space }, query } }));
    }, MAX_ITEMS),
  );
  return (await Promise.all(lists)).flat().sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

/** The change requests of a space or of an organization. */
export function List({ organization, space }: { organization: string; space?: string | undefined }) {
  const { review } = useMessages();
  const [status, setStatus] = useState<ShownStatus>("active");
  const [whose, setWhose] = useState<Whose>("all");
  const user = useQuery(sessionQuery).data?.user.id ?? "";
  const spaces = useQuery(spacesQuery(organization));
  const titles = new Map((spaces.data ?? []).map(({ id, title }) => [id, title]));
  const found = useQuery({
    queryKey: [...listKey(organization, space), { status, whose, user }],
    placeholderData: keepPreviousData,
    queryFn: () => read(organization, space, { status, whose, user }),
  });
  const items = found.data ?? [];
  const [shown, setShown] = useState(SHOWN_ITEMS);
  return (
    <div className="page">
      <Title>{review.list}</Title>
      <header className="page-header">
        <h1>{review.list}</h1>
        <NewButton organization={organization} space={space} />
      </header>
      <div className="review-filters">
        <Choice label={review.whose} value={whose} options={WHOSE.map((id) => ({ id, label: review.whoseOptions[id] }))} onChange={setWhose} />
        <Select
          label={review.status}
          isLabelHidden
          options={STATUSES.map((id) => ({ id, label: id === "active" ? review.active : review.statuses[id] }))}
          value={status}
          onChange={setStatus}
        />
      </div>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <EmptyState title={review.noneFound}>{status === "active" && whose === "all" ? review.noneHint : undefined}</EmptyState>}
      {items.length > 0 && (
        <ul className="list review-requests">
          {items.slice(0, shown).map((item) => (
            <Item key={item.id} organization={organization} item={item} space={space === undefined ? titles.get(item.space) : undefined} />
          ))}
        </ul>
      )}
      {items.length > shown && <Button onPress={() => setShown(shown + SHOWN_ITEMS)}>{review.moreRows(items.length - shown)}</Button>}
      {items.length >= MAX_ITEMS && items.length <= shown && <p className="muted">{review.onlyFirst(MAX_ITEMS)}</p>}
    </div>
  );
}

function Item({ organization, item, space }: { organization: string; item: Schemas["ChangeRequest"]; space: string | undefined }) {
  const { review } = useMessages();
  const place = { organization, space: item.space, changeRequest: String(item.number) };
  return (
    <li>
      <Badge tone={TONES[item.status]}>{review.statuses[item.status]}</Badge>
      <div className="review-request">
        <Link href={item.status === "draft" ? addressOf(place) : addressOf(place, "~/review")}>{item.subject || review.untitled}</Link>
        <span className="muted">
          #{item.number}
          {space !== undefined && ` · ${space}`}
          {` · ${item.createdBy.displayName} · `}
          <Time at={item.updatedAt} />
        </span>
      </div>
      {item.outdated && (item.status === "open" || item.status === "draft") && <span className="muted review-outdated">{review.outdatedMark}</span>}
      <CommentCount count={item.comments} />
      <Reviewers item={item} />
    </li>
  );
}

/** The people who were asked for a review of an open change request. */
function Reviewers({ item }: { item: Schemas["ChangeRequest"] }) {
  const { review } = useMessages();
  const found = useQuery({
    queryKey: ["space", item.space, "change", item.id, "asked", item.updatedAt],
    enabled: item.status === "open",
    staleTime: 60_000,
    queryFn: async () => {
      const params = { path: { spaceId: item.space, changeRequestId: item.id }, query: { limit: 10 } };
      const { items } = await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers", { params }));
      return items.flatMap((one) => (one.kind === "user" ? [one.user] : []));
    },
  });
  if (!found.data?.length) return null;
  return (
    <ul className="review-people" aria-label={review.reviewers}>
      {found.data.slice(0, 4).map((user) => (
        <li key={user.id} title={user.displayName}>
          <Avatar name={user.displayName} url={user.photoURL} />
          <span className="visually-hidden">{user.displayName}</span>
        </li>
      ))}
    </ul>
  );
}

function NewButton({ organization, space }: { organization: string; space: string | undefined }) {
  const { review, shell } = useMessages();
  const [, navigate] = useLocation();
  const [isStarting, setIsStarting] = useState(false);
  const spaces = useQuery(spacesQuery(organization));
  const editable = (spaces.data ?? []).filter(({ permissions }) => permissions.editChangeRequests);
  const start = async (id: string) => {
    setIsStarting(true);
    try {
      const made = await startChangeRequest(id);
      navigate(addressOf({ organization, space: id, changeRequest: String(made.number) }));
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { tone: "danger" });
    } finally {
      setIsStarting(false);
    }
  };
  if (space !== undefined) {
    if (!editable.some(({ id }) => id === space)) return null;
    return (
      <Button kind="primary" icon="plus" isPending={isStarting} onPress={() => void start(space)}>
        {review.newChangeRequest}
      </Button>
    );
  }
  if (editable.length === 0) return null;
  const commands = editable.map(({ id, title }) => ({ id, label: title || shell.untitled, run: () => void start(id) }));
  return (
    <Menu label={review.newChangeRequest} commands={commands}>
      <Icon name="plus" />
      {review.newChangeRequest}
    </Menu>
  );
}
