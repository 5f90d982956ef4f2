import { useQuery } from "@tanstack/react-query";
import { Component, lazy, type ReactNode, Suspense } from "react";
import { RouterProvider } from "react-aria-components";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";

import { organizationsQuery, sessionQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Button, EmptyState, ErrorState, Loading, Toasts } from "../ui";
import { Frame } from "./frame";

const Home = lazy(() => import("../routes/home"));
const Space = lazy(() => import("../routes/space"));
const ChangeRequests = lazy(() => import("../routes/changes"));
const Notifications = lazy(() => import("../routes/notifications"));
const People = lazy(() => import("../routes/people"));
const Collection = lazy(() => import("../routes/collection"));
const Sites = lazy(() => import("../routes/sites"));
const Specifications = lazy(() => import("../routes/openapi"));
const Settings = lazy(() => import("../routes/settings"));

/** The prefix of all addresses of the application. */
export const BASE = "/app";

/** The application: it shows the page of the present address. */
export function App() {
  return (
    <Router base={BASE}>
      <Aria>
        <Guard>
          <Session />
        </Guard>
      </Aria>
      <Toasts />
    </Router>
  );
}

/** Lets links of React Aria change the page without loading it. */
function Aria({ children }: { children: ReactNode }) {
  const [, navigate] = useLocation();
  return (
    <RouterProvider navigate={(path) => navigate(path)} useHref={(href) => (href.startsWith("/") ? BASE + href : href)}>
      {children}
    </RouterProvider>
  );
}

function Session() {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <Loading />;
  if (session.isError) return <ErrorState error={session.error} onRetry={() => void session.refetch()} />;
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/o/:organization/*?">{({ organization }) => <Organization organization={organization} />}</Route>
        <Route path="/">
          <FirstOrganization />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  );
}

function FirstOrganization() {
  const { shell } = useMessages();
  const organizations = useQuery(organizationsQuery);
  if (organizations.isPending) return <Loading />;
  if (organizations.isError) return <ErrorState error={organizations.error} />;
  const first = organizations.data[0];
  return first ? <Redirect to={`/o/${first.id}`} replace /> : <EmptyState title={shell.noOrganization} />;
}

function Organization({ organization }: { organization: string }) {
  return (
    <Frame organization={organization}>
      <Guard>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/o/:o">
              <Home organization={organization} />
            </Route>
            <Route path="/o/:o/s/:space/*?">{({ space }) => <Space key={space} organization={organization} space={space} />}</Route>
            <Route path="/o/:o/c/:collection">
              {({ collection }) => <Collection organization={organization} collection={collection} />}
            </Route>
            <Route path="/o/:o/members/*?">
              <People organization={organization} />
            </Route>
            <Route path="/o/:o/sites/*?">
              <Sites organization={organization} />
            </Route>
            <Route path="/o/:o/openapi/*?">
              <Specifications organization={organization} />
            </Route>
            <Route path="/o/:o/settings/*?">
              <Settings organization={organization} />
            </Route>
            <Route path="/o/:o/notifications">
              <Notifications organization={organization} />
            </Route>
            <Route path="/o/:o/changes">
              <ChangeRequests organization={organization} />
            </Route>
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Guard>
    </Frame>
  );
}

/** Says that the address leads nowhere. */
function NotFound() {
  const { shell } = useMessages();
  return <EmptyState title={shell.notFound} />;
}

/** Shows a message instead of a part of the page that failed. */
class Guard extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const { shell } = useMessages();
  return <EmptyState title={shell.unexpected} action={<Button onPress={() => location.reload()}>{shell.reload}</Button>} />;
}
