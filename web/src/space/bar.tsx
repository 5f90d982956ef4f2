import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";

import { addressOf, changeRequestQuery, type Place } from "../api/place";
import { sessionQuery, spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Badge, type Command, Icon, type IconName, Menu } from "../ui";
import { emojiText } from "./emoji-text";
import { ownChangesQuery } from "./queries";

interface Room {
  id: string;
  label: string;
  icon: IconName;
  to: string;
  count?: number | undefined;
}

/** The bar above a space: its name, the content that is shown, and the ways to its other views. */
export function SpaceBar({ place }: { place: Place }) {
  const { space } = useMessages();
  const [location, navigate] = useLocation();
  const found = useQuery(spaceQuery(place.space));
  const main: Place = { organization: place.organization, space: place.space };
  const rooms: Room[] = [
    { id: "changes", label: space.changes, icon: "changes", to: addressOf(main, "~/changes"), count: found.data?.changeRequestsOpen },
    { id: "history", label: space.history, icon: "history", to: addressOf(main, "~/history") },
    { id: "files", label: space.files, icon: "file", to: addressOf(place, "~/files") },
    { id: "settings", label: space.settings, icon: "settings", to: addressOf(main, "~/settings") },
  ];
  const site = found.data?.urls.published;
  const commands: Command[] = rooms.map(({ id, label, icon, to }) => ({ id, label, icon, run: () => navigate(to) }));
  if (site !== undefined) commands.push({ id: "site", label: space.openSite, icon: "site", run: () => void window.open(site, "_blank", "noopener") });
  const isHere = (to: string) => location === to || (location.startsWith(`${to}/`) && !location.startsWith(`${to}/~`) && !/\/changes$/.test(to));
  return (
    <header className="space-bar">
      <Link href={addressOf(main)} className="space-name">
        {found.data?.emoji && <span>{emojiText(found.data.emoji)}</span>}
        <strong>{found.data?.title ?? ""}</strong>
      </Link>
      <ContentSwitch place={place} />
      <span className="grow" />
      <nav className="space-rooms" aria-label={space.bar}>
        {rooms.map(({ id, label, icon, to, count }) => (
          <Link key={id} href={to} className="space-room" aria-current={isHere(to) ? "page" : undefined}>
            <Icon name={icon} />
            {label}
            {count !== undefined && count > 0 && <Badge>{count}</Badge>}
          </Link>
        ))}
        {site !== undefined && (
          <a href={site} target="_blank" rel="noreferrer" className="space-room">
            <Icon name="site" />
            {space.openSite}
          </a>
        )}
      </nav>
      <div className="space-more">
        <Menu label={space.more} commands={commands} />
      </div>
    </header>
  );
}

/** The name of the content that is shown, with a menu of the others. */
function ContentSwitch({ place }: { place: Place }) {
  const { space } = useMessages();
  const [, navigate] = useLocation();
  const session = useQuery(sessionQuery);
  const own = useQuery(ownChangesQuery(place.space, session.data?.user.id ?? ""));
  const shown = useQuery({ ...changeRequestQuery(place.space, place.changeRequest ?? ""), enabled: place.changeRequest !== undefined });
  const main: Place = { organization: place.organization, space: place.space };
  const name =
    place.changeRequest === undefined ? space.main : space.changeRequest(place.changeRequest, shown.data?.subject ?? "");
  const commands: Command[] = [
    { id: "main", label: space.main, icon: place.changeRequest === undefined ? "check" : "space", run: () => navigate(addressOf(main)) },
    ...(own.data ?? []).slice(0, 12).map(({ number, subject }) => ({
      id: String(number),
      label: space.changeRequest(number, subject),
      icon: String(number) === place.changeRequest ? ("check" as const) : ("changes" as const),
      run: () => navigate(addressOf({ ...main, changeRequest: String(number) })),
    })),
    { id: "all", label: space.allChanges, icon: "chevron", run: () => navigate(addressOf(main, "~/changes")) },
  ];
  return (
    <div className="space-switch">
      <Menu label={`${space.switchContent}: ${name}`} commands={commands}>
        <Icon name={place.changeRequest === undefined ? "space" : "changes"} />
        <span>{name}</span>
        <Icon name="down" />
      </Menu>
    </div>
  );
}
