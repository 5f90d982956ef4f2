import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { addressOf, type Place } from "../api/place";
import { organizationQuery, spaceQuery, spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { foundMembersQuery } from "../people/queries";
import { addressOfSettings, useViews } from "../settings/views";
import { addressOfSite, sitesQuery } from "../sites/queries";
import { viewOf } from "../space/address";
import { createPage, NEW_PAGE } from "../space/new-page";
import { notify } from "../ui";
import type { DialogName } from "./palette-dialogs";
import { type Entry, isMatch, ordered, type Section } from "./palette-match";
import { signOut } from "./session";
import { applyTheme, THEMES, useTheme } from "./theme";

/** Maximum number of people and of places that are shown. */
const MAX_PEOPLE = 8;
const MAX_PLACES = 30;

/** Pages whose text contains what was typed. */
function usePages(organization: string, text: string): { entries: Entry[]; isSearching: boolean } {
  const [, navigate] = useLocation();
  const found = useQuery({
    queryKey: ["org", organization, "search", text],
    enabled: text.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        client.GET("/orgs/{organizationId}/search", {
          params: { path: { organizationId: organization }, query: { query: text, limit: 20 } },
          signal,
        }),
      ),
  });
  const entries = useMemo(
    () =>
      (found.data?.items ?? []).flatMap((space) =>
        (space.pages ?? []).map((page) => ({
          id: `page/${space.id}/${page.id}`,
          title: page.title,
          detail: [space.title, ...(page.ancestors ?? []).map(({ title }) => title)].join(" › "),
          icon: "page" as const,
          run: () => navigate(addressOf({ organization, space: space.id }, page.id)),
        })),
      ),
    [found.data, organization, navigate],
  );
  return { entries: text.length > 0 ? entries : [], isSearching: found.isFetching };
}

/** People whose names or addresses contain what was typed. */
function usePeople(organization: string, text: string): { entries: Entry[]; isSearching: boolean } {
  const [, navigate] = useLocation();
  const mayList = useQuery(organizationQuery(organization)).data?.permissions.listMembers === true;
  const found = useQuery({ ...foundMembersQuery(organization, text), enabled: mayList && text.length > 0 });
  const entries = (found.data ?? []).slice(0, MAX_PEOPLE).map(({ id, user }) => ({
    id: `person/${id}`,
    title: user.displayName,
    detail: user.email,
    icon: "members" as const,
    run: () => navigate(`/o/${organization}/members/${id}`),
  }));
  return { entries: text.length > 0 ? entries : [], isSearching: found.isFetching };
}

/** The areas, spaces and sites of an organization. */
function usePlaces(organization: string): Entry[] {
  const { shell, people } = useMessages();
  const [, navigate] = useLocation();
  const spaces = useQuery(spacesQuery(organization)).data ?? [];
  const published = useQuery(sitesQuery(organization)).data ?? [];
  const base = `/o/${organization}`;
  const area = (title: string, icon: Entry["icon"], path: string): Entry => ({ id: `place/${path}`, title, icon, run: () => navigate(base + path) });
  return [
    area(shell.home, "home", ""),
    area(shell.changeRequests, "changes", "/changes"),
    area(shell.notifications, "bell", "/notifications"),
    area(shell.sites, "site", "/sites"),
    { ...area(shell.specifications, "code", "/openapi"), synonyms: "openapi swagger" },
    area(people.title, "members", "/members"),
    area(people.teams, "members", "/members/teams"),
    ...spaces.map(({ id, title }) => area(title || shell.untitled, "space", `/s/${id}`)),
    ...published.map(({ id, title }) => ({ id: `site/${id}`, title, icon: "site" as const, run: () => navigate(addressOfSite({ organization, site: id })) })),
  ];
}

/** The views of the settings that the person may use. */
function useSettingsEntries(organization: string): Entry[] {
  const { settings } = useMessages();
  const [, navigate] = useLocation();
  return (useViews(organization) ?? []).map((view) => ({
    id: `settings/${view}`,
    title: settings.views[view],
    detail: settings.title,
    icon: view === "audit" ? "audit" : view === "tokens" ? "key" : "settings",
    synonyms: `${settings.title} ${settings.synonyms[view]}`,
    run: () => navigate(addressOfSettings(organization, view)),
  }));
}

/** Returns the content of the space that is open; absent elsewhere. */
function useOpenPlace(organization: string): Place | undefined {
  const [location] = useLocation();
  const prefix = `/o/${organization}/s/`;
  if (!location.startsWith(prefix)) return undefined;
  const [space = "", ...rest] = location.slice(prefix.length).split("/");
  return viewOf(organization, space, rest.join("/"))?.place;
}

/** The commands that the person may give. */
function useCommands(organization: string, openDialog: (name: DialogName) => void): Entry[] {
  const { shell, home, people, space } = useMessages();
  const [, navigate] = useLocation();
  const theme = useTheme();
  const permissions = useQuery(organizationQuery(organization)).data?.permissions;
  const place = useOpenPlace(organization);
  const open = useQuery({ ...spaceQuery(place?.space ?? ""), enabled: place !== undefined }).data;
  const addPage = async (to: Place) => {
    try {
      const { address, started } = await createPage(to, space.untitled);
      navigate(address, { state: NEW_PAGE });
      if (started !== undefined) notify(space.begun(started));
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), { tone: "danger" });
    }
  };
  const dialog = (name: DialogName, title: string, synonyms: string): Entry => ({
    id: `command/${name}`,
    title,
    icon: "plus",
    synonyms,
    run: () => openDialog(name),
  });
  const commands: Entry[] = [];
  if (place !== undefined && open?.permissions.editChangeRequests === true) {
    const title = open.title || shell.untitled;
    commands.push({ id: "command/page", title: space.newPage, detail: title, icon: "plus", synonyms: shell.newWords, run: () => void addPage(place) });
  }
  if (permissions?.createContent === true) {
    commands.push(dialog("space", home.newSpace, shell.newWords), dialog("site", shell.newSite, shell.newSiteWords));
  }
  if (permissions?.createOpenAPISpec === true) {
    commands.push(dialog("specification", shell.newSpecification, shell.newSpecificationWords));
  }
  if (permissions?.admin === true) commands.push(dialog("invite", people.invite, shell.inviteWords));
  for (const one of THEMES) {
    if (one === theme) continue;
    const title = `${shell.theme}: ${shell.themes[one]}`;
    commands.push({ id: `command/theme-${one}`, title, icon: "theme", synonyms: shell.themeWords, run: () => applyTheme(one) });
  }
  commands.push({ id: "command/sign-out", title: shell.signOut, icon: "out", synonyms: shell.signOutWords, run: () => void signOut() });
  return commands;
}

/** Returns what the search everywhere offers for a text. */
export function useSections(organization: string, text: string, openDialog: (name: DialogName) => void): { sections: Section[]; isSearching: boolean } {
  const { home, shell, people, settings } = useMessages();
  const pages = usePages(organization, text);
  const persons = usePeople(organization, text);
  const places = usePlaces(organization).filter((entry) => isMatch(text, entry));
  const views = useSettingsEntries(organization).filter((entry) => isMatch(text, entry));
  const commands = useCommands(organization, openDialog).filter((entry) => isMatch(text, entry));
  const own = [
    { id: "places", title: home.places, entries: places.slice(0, MAX_PLACES) },
    { id: "commands", title: shell.commands, entries: commands },
    { id: "settings", title: settings.title, entries: views },
  ];
  const found = [
    { id: "pages", title: home.pages, entries: pages.entries },
    { id: "people", title: people.title, entries: persons.entries },
  ];
  const sections = ordered(text, own, found);
  return { sections, isSearching: pages.isSearching || persons.isSearching };
}
