import type { ReactNode } from "react";

import { useMessages } from "../i18n";
import { Button, Dialog } from ".";

interface FormProps {
  title: string;
  /** The text of the button that sends the form. */
  action: string;
  /** True if it is shown; it is by default. */
  isOpen?: boolean;
  isBusy: boolean;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}

/** A window with a form, and the buttons to send it and to leave it. */
export function Form({ title, action, isOpen = true, isBusy, onClose, onSubmit, children }: FormProps) {
  const { shell } = useMessages();
  return (
    <Dialog title={title} isOpen={isOpen} isBusy={isBusy} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
