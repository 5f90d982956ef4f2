import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { Autocomplete, Collection, Dialog, Header, Input, ListBox, ListBoxItem, ListBoxSection, Modal, ModalOverlay, TextField } from "react-aria-components";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { spacesQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Icon, type IconName } from "../ui";

interface Entry {
  id: string;
  title: string;
  detail?: string | undefined;
  icon: IconName;
  to: string;
}

interface Section {
  id: string;
  title: string;
  entries: Entry[];
}

/** The window that searches pages, people, settings and commands. */
export function Palette({ organization, isOpen, onClose }: { organization: string; isOpen: boolean; onClose: () => void }) {
  const { shell } = useMessages();
  return (
    <ModalOverlay className="overlay" isDismissable isOpen={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-palette">
        <Dialog className="dialog" aria-label={shell.searchEverywhere}>
          <Search organization={organization} onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Search({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { shell } = useMessages();
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const sections = useSections(organization, useDeferredValue(text.trim()));
  const open = (to: string) => {
    onClose();
    navigate(to);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <div className="palette">
        <TextField aria-label={shell.searchEverywhere} autoFocus>
          <Input className="palette-input" placeholder={shell.searchPlaceholder} />
        </TextField>
        <ListBox
          className="palette-list"
          aria-label={shell.searchEverywhere}
          items={sections}
          renderEmptyState={() => <p className="loading">{shell.noResults}</p>}
          onAction={(key) => open(String(key).slice(String(key).indexOf("/")))}
        >
          {(section) => (
            <ListBoxSection id={section.id}>
              <Header className="palette-group">{section.title}</Header>
              <Collection items={section.entries}>
                {(entry) => (
                  <ListBoxItem id={`${entry.id}${entry.to}`} textValue={entry.title} className="palette-item">
                    <Icon name={entry.icon} />
                    <span className="palette-text">
                      <span>{entry.title}</span>
                      {entry.detail && <small>{entry.detail}</small>}
                    </span>
                  </ListBoxItem>
                )}
              </Collection>
            </ListBoxSection>
          )}
        </ListBox>
      </div>
    </Autocomplete>
  );
}

function useSections(organization: string, text: string): Section[] {
  const { shell, home, people } = useMessages();
  const base = `/o/${organization}`;
  const spaces = useQuery(spacesQuery(organization));
  const pages = useQuery({
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
  return useMemo(() => {
    const asked = text.toLocaleLowerCase();
    const matches = (title: string) => title.toLocaleLowerCase().includes(asked);
    const places: Entry[] = [
      { id: "home", title: shell.home, icon: "home" as const, to: base },
      { id: "members", title: people.title, icon: "members" as const, to: `${base}/members` },
      { id: "changes", title: shell.changeRequests, icon: "changes" as const, to: `${base}/changes` },
      ...(spaces.data ?? []).map(({ id, title }) => ({ id, title, icon: "space" as const, to: `${base}/s/${id}` })),
    ].filter(({ title }) => matches(title));
    const found: Section[] = [];
    if (text.length > 0) {
      const entries = (pages.data?.items ?? []).flatMap((space) =>
        (space.pages ?? []).map((page) => ({
          id: page.id,
          title: page.title,
          detail: [space.title, ...(page.ancestors ?? []).map(({ title }) => title)].join(" › "),
          icon: "page" as const,
          to: `${base}/s/${space.id}/${page.id}`,
        })),
      );
      found.push({ id: "pages", title: home.pages, entries });
    }
    found.push({ id: "places", title: home.places, entries: places.slice(0, 30) });
    return found.filter(({ entries }) => entries.length > 0);
  }, [text, base, shell, home, people, spaces.data, pages.data]);
}
