import "./home.css";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { collectionsQuery, organizationQuery, sessionQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { emojiText } from "../space/emoji-text";
import { Badge, Button, Dialog, EmptyState, ErrorState, Icon, Loading, Select, TextField, Time } from "../ui";

/** The key under which the browser remembers that the first steps are hidden. */
const STEPS_HIDDEN = "bindery.steps-hidden";

/** The home page: the first steps, what waits, what the person works on, and all spaces. */
export default function Home({ organization }: { organization: string }) {
  const { home } = useMessages();
  const [isCreating, setIsCreating] = useState(false);
  const found = useQuery(organizationQuery(organization));
  return (
    <div className="page">
      <Title>{home.title}</Title>
      <header className="page-header">
        <h1>{found.data?.title ?? home.title}</h1>
        <Button kind="primary" icon="plus" onPress={() => setIsCreating(true)}>
          {home.newSpace}
        </Button>
      </header>
      <FirstSteps organization={organization} />
      <ChangeRequests organization={organization} />
      <Spaces organization={organization} onNew={() => setIsCreating(true)} />
      <NewSpace organization={organization} isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </div>
  );
}

function FirstSteps({ organization }: { organization: string }) {
  const { home } = useMessages();
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(STEPS_HIDDEN) !== null);
  const spaces = useQuery(spacesQuery(organization));
  if (isHidden || !spaces.isSuccess) return null;
  const base = `/o/${organization}`;
  const first = spaces.data[0];
  const steps = [
    { title: home.stepWrite, hint: home.stepWriteHint, action: home.openSpace, to: first ? `${base}/s/${first.id}` : base },
    { title: home.stepReview, hint: home.stepReviewHint, action: home.openChanges, to: `${base}/changes` },
  ];
  return (
    <section aria-labelledby="steps">
      <div className="home-steps-head">
        <h2 id="steps">{home.steps}</h2>
        <Button
          kind="quiet"
          isSmall
          onPress={() => {
            localStorage.setItem(STEPS_HIDDEN, "1");
            setIsHidden(true);
          }}
        >
          {home.hideSteps}
        </Button>
      </div>
      <ol className="home-steps">
        {steps.map(({ title, hint, action, to }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{hint}</p>
            <Link href={to} className="button button-small">
              {action}
            </Link>
          </li>
        ))}
      </ol>
    </section>
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

function Spaces({ organization, onNew }: { organization: string; onNew: () => void }) {
  const { home, shell } = useMessages();
  const spaces = useQuery(spacesQuery(organization));
  const collections = useQuery(collectionsQuery(organization));
  const sorted = [...(spaces.data ?? [])].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  const isEmpty = spaces.data?.length === 0 && (collections.data ?? []).length === 0;
  return (
    <section className="page-section">
      <h2>{home.spaces}</h2>
      {spaces.isPending && <Loading />}
      {spaces.isError && <ErrorState error={spaces.error} onRetry={() => void spaces.refetch()} />}
      {isEmpty && (
        <EmptyState title={home.noSpaces} action={<Button onPress={onNew}>{home.newSpace}</Button>}>
          {home.noSpacesHint}
        </EmptyState>
      )}
      <div className="cards">
        {(collections.data ?? []).map((collection) => (
          <Link key={collection.id} href={`/o/${organization}/c/${collection.id}`} className="card">
            <strong className="row">
              <Icon name="collection" />
              {collection.title || shell.untitled}
            </strong>
            {collection.description && <span className="muted">{collection.description}</span>}
          </Link>
        ))}
        {sorted.map((space) => (
          <Link key={space.id} href={`/o/${organization}/s/${space.id}`} className="card">
            <strong>
              {space.emoji && <span className="home-emoji">{emojiText(space.emoji)}</span>}
              {space.title || shell.untitled}
            </strong>
            <span className="muted">
              <Time at={space.updatedAt} />
            </span>
          </Link>
        ))}
      </div>
    </section>
  );
}

function NewSpace({ organization, isOpen, onClose }: { organization: string; isOpen: boolean; onClose: () => void }) {
  const { home, shell } = useMessages();
  const [title, setTitle] = useState("");
  const [parent, setParent] = useState("");
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const collections = useQuery(collectionsQuery(organization));
  const create = useMutation({
    mutationFn: () => {
      const body = { title: title.trim(), ...(parent && { parent }) };
      return data(client.POST("/orgs/{organizationId}/spaces", { params: { path: { organizationId: organization } }, body }));
    },
    onSuccess: async (space) => {
      await cache.invalidateQueries({ queryKey: ["org", organization, "spaces"] });
      onClose();
      setTitle("");
      navigate(`/o/${organization}/s/${space.id}`);
    },
  });
  const options = [{ id: "", label: home.noCollection }, ...(collections.data ?? []).map(({ id, title }) => ({ id, label: title }))];
  return (
    <Dialog title={home.newSpace} isOpen={isOpen} onClose={onClose} isBusy={create.isPending}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextField label={home.spaceTitle} value={title} onChange={setTitle} autoFocus isRequired error={create.error?.message} />
        {options.length > 1 && <Select label={home.inCollection} options={options} value={parent} onChange={setParent} />}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            {shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
