import { onlineManager, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";

import { organizationQuery, organizationsQuery, sessionQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { addressOfSettings } from "../settings/views";
import { Avatar, Button, Icon, IconButton, type IconName, isEscapeIn, Menu } from "../ui";
import { Bell } from "./bell";
import { Palette } from "./palette";
import { signOut } from "./session";
import { applyTheme, THEMES, useTheme } from "./theme";

/** Maximum number of spaces in the navigation; the home page lists all of them. */
const MAX_SPACES = 50;

/** The frame of all pages of an organization: navigation, search and the content. */
export function Frame({ organization, children }: { organization: string; children: ReactNode }) {
  const { shell } = useMessages();
  const [location] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const [isSearching, setIsSearching] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => setIsOpen(false), [location]);
  const focus = (part: string) => frame.current?.querySelector<HTMLElement>(part)?.focus();
  const open = () => {
    setIsOpen(true);
    requestAnimationFrame(() => focus(".shell-side"));
  };
  const close = () => {
    setIsOpen(false);
    focus(".shell-top button");
  };
  useEffect(() => {
    const search = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setIsSearching(true);
      }
    };
    addEventListener("keydown", search);
    return () => removeEventListener("keydown", search);
  }, []);
  return (
    <div className="shell" ref={frame}>
      <a className="skip-link" href="#content">
        {shell.skipToContent}
      </a>
      <header className="shell-top">
        <IconButton icon="menu" label={shell.openNavigation} onPress={open} />
        <OrganizationMenu organization={organization} />
        <span className="grow" />
        <Bell organization={organization} isLink />
        <IconButton icon="search" label={shell.searchEverywhere} onPress={() => setIsSearching(true)} />
      </header>
      {isOpen && <div className="shell-shade" onClick={close} />}
      <nav
        className="shell-side"
        tabIndex={-1}
        data-open={isOpen || undefined}
        aria-label={shell.product}
        onKeyDownCapture={(event) => {
          if (isOpen && isEscapeIn(event)) close();
        }}
      >
        <div className="shell-head">
          <OrganizationMenu organization={organization} />
          <Bell organization={organization} />
        </div>
        <Button kind="search" icon="search" onPress={() => setIsSearching(true)}>
          {shell.search} <kbd className="keys">Ctrl K</kbd>
        </Button>
        <Navigation organization={organization} />
      </nav>
      <main className="shell-main" id="content" tabIndex={-1}>
        <Offline />
        {children}
      </main>
      <Palette organization={organization} isOpen={isSearching} onClose={() => setIsSearching(false)} />
    </div>
  );
}

function Offline() {
  const { shell } = useMessages();
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  return isOnline ? null : (
    <p className="offline" role="status">
      {shell.offline}
    </p>
  );
}

function OrganizationMenu({ organization }: { organization: string }) {
  const { shell } = useMessages();
  const [, navigate] = useLocation();
  const current = useQuery(organizationQuery(organization));
  const organizations = useQuery(organizationsQuery);
  const commands = (organizations.data ?? []).map(({ id, title }) => ({
    id,
    label: title,
    run: () => navigate(`/o/${id}`),
  }));
  return (
    <Menu label={current.data ? `${current.data.title}: ${shell.switchOrganization}` : shell.switchOrganization} commands={commands}>
      <Avatar name={current.data?.title ?? ""} url={current.data?.urls.logo} />
      <strong>{current.data?.title}</strong>
      <Icon name="down" />
    </Menu>
  );
}

function NavigationLink({ to, icon, children, isExact }: { to: string; icon: IconName; children: string; isExact?: boolean }) {
  const [location] = useLocation();
  const isCurrent = location === to || (!isExact && location.startsWith(`${to}/`));
  return (
    <Link href={to} className="shell-link" aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      <span>{children}</span>
    </Link>
  );
}

function Navigation({ organization }: { organization: string }) {
  const { shell, people, settings } = useMessages();
  const base = `/o/${organization}`;
  const spaces = useQuery(spacesQuery(organization));
  const shown = (spaces.data ?? []).slice(0, MAX_SPACES);
  return (
    <>
      <NavigationLink to={base} icon="home" isExact>
        {shell.home}
      </NavigationLink>
      <NavigationLink to={`${base}/changes`} icon="changes">
        {shell.changeRequests}
      </NavigationLink>
      <NavigationLink to={`${base}/sites`} icon="site">
        {shell.sites}
      </NavigationLink>
      <NavigationLink to={`${base}/openapi`} icon="code">
        {shell.specifications}
      </NavigationLink>
      <NavigationLink to={`${base}/members`} icon="members">
        {people.title}
      </NavigationLink>
      <NavigationLink to={`${base}/settings`} icon="settings">
        {settings.title}
      </NavigationLink>
      {shown.length > 0 && <h2 className="shell-heading">{shell.spaces}</h2>}
      {shown.map((space) => (
        <NavigationLink key={space.id} to={`${base}/s/${space.id}`} icon="space">
          {space.title || shell.untitled}
        </NavigationLink>
      ))}
      <div className="shell-foot">
        <PersonMenu organization={organization} />
      </div>
    </>
  );
}

function PersonMenu({ organization }: { organization: string }) {
  const { shell, settings } = useMessages();
  const [, navigate] = useLocation();
  const session = useQuery(sessionQuery);
  const theme = useTheme();
  const name = session.data?.user.displayName ?? "";
  return (
    <Menu
      label={name || shell.account}
      commands={[
        { id: "profile", label: settings.views.profile, icon: "settings", run: () => navigate(addressOfSettings(organization, "profile")) },
        { id: "account", label: shell.account, icon: "key", run: () => location.assign("/app/account") },
        ...THEMES.map((one) => ({
          id: one,
          label: `${shell.theme}: ${shell.themes[one]}`,
          icon: theme === one ? ("check" as const) : ("theme" as const),
          run: () => applyTheme(one),
        })),
        { id: "sign-out", label: shell.signOut, icon: "out", run: () => void signOut() },
      ]}
    >
      <Avatar name={name} url={session.data?.user.photoURL} />
      <span>{name}</span>
    </Menu>
  );
}
