import { lazy, Suspense, useDeferredValue, useState } from "react";
import { Autocomplete, Collection, Dialog, Header, Input, ListBox, ListBoxItem, ListBoxSection, Modal, ModalOverlay, TextField } from "react-aria-components";

import { useMessages } from "../i18n";
import { Icon } from "../ui";
import type { DialogName } from "./palette-dialogs";
import { useSections } from "./palette-sections";

const PaletteDialog = lazy(() => import("./palette-dialogs"));

interface Props {
  organization: string;
  isOpen: boolean;
  onClose: () => void;
}

/** The window that searches pages, people, places, settings and commands. */
export function Palette({ organization, isOpen, onClose }: Props) {
  const { shell } = useMessages();
  const [dialog, setDialog] = useState<DialogName>();
  return (
    <>
      <ModalOverlay className="overlay" isDismissable isOpen={isOpen} onOpenChange={(open) => !open && onClose()}>
        <Modal className="modal modal-palette">
          <Dialog className="dialog" aria-label={shell.searchEverywhere}>
            <Search organization={organization} onClose={onClose} onDialog={setDialog} />
          </Dialog>
        </Modal>
      </ModalOverlay>
      {dialog !== undefined && (
        <Suspense fallback={null}>
          <PaletteDialog name={dialog} organization={organization} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
    </>
  );
}

interface SearchProps {
  organization: string;
  onClose: () => void;
  onDialog: (name: DialogName) => void;
}

function Search({ organization, onClose, onDialog }: SearchProps) {
  const { shell } = useMessages();
  const [text, setText] = useState("");
  const { sections, isSearching } = useSections(organization, useDeferredValue(text.trim()), onDialog);
  const run = (id: string) => {
    onClose();
    sections.flatMap(({ entries }) => entries).find((entry) => entry.id === id)?.run();
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <div className="palette">
        <TextField aria-label={shell.searchEverywhere} autoFocus>
          <Input className="palette-input" role="combobox" aria-expanded placeholder={shell.searchPlaceholder} />
        </TextField>
        <div className="palette-list" tabIndex={0}>
          <ListBox
            className="palette-entries"
            aria-label={shell.searchEverywhere}
            items={sections}
            renderEmptyState={() => <p className="loading">{isSearching ? shell.loading : shell.noResults}</p>}
            onAction={(key) => run(String(key))}
          >
            {(section) => (
              <ListBoxSection id={section.id}>
                <Header className="palette-group">{section.title}</Header>
                <Collection items={section.entries}>
                  {(entry) => (
                    <ListBoxItem id={entry.id} textValue={entry.title} className="palette-item">
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
      </div>
    </Autocomplete>
  );
}
