import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components";

import { useMessages } from "../i18n";
import { Button, IconButton } from ".";

interface Notice {
  text: string;
  tone: "info" | "success" | "danger";
  action?: { label: string; run: () => void };
}

const queue = new ToastQueue<Notice>({ maxVisibleToasts: 3 });

/** Tells the person that something happened, with an action such as undo. */
export function notify(text: string, options: Partial<Omit<Notice, "text">> = {}): void {
  const notice: Notice = { text, tone: "info", ...options };
  queue.add(notice, { timeout: notice.tone === "danger" ? 10_000 : 6_000 });
}

/** The place of the notices. */
export function Toasts() {
  const { shell } = useMessages();
  return (
    <ToastRegion queue={queue} className="toasts">
      {({ toast }) => (
        <Toast toast={toast} className={`toast toast-${toast.content.tone}`}>
          <ToastContent>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          {toast.content.action && (
            <Button
              isSmall
              onPress={() => {
                toast.content.action?.run();
                queue.close(toast.key);
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <IconButton slot="close" icon="close" label={shell.close} />
        </Toast>
      )}
    </ToastRegion>
  );
}
