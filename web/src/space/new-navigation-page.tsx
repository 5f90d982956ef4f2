import { useState } from "react";

import { insertNavigationPage } from "../api/place";
import { useMessages } from "../i18n";
import { TextField } from "../ui";
import { Form } from "../ui/form";
import type { Spot } from "./tree";
import type { Writing } from "./writing";

/** A group or a link that is to be made, and its place. */
export interface NewNavigationPage {
  type: "group" | "link";
  spot: Spot;
}

/** Asks for the title of a group, or for the title and the address of a link. */
export function NewNavigationPageDialog({ made, writing, onClose }: { made: NewNavigationPage; writing: Writing; onClose: () => void }) {
  const { space, shell } = useMessages();
  const { type, spot } = made;
  const [title, setTitle] = useState("");
  const [url, setUrl] = useState("");
  const [reason, setReason] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const isLink = type === "link";
  const create = async () => {
    setReason(undefined);
    setIsBusy(true);
    const target = isLink && { target: { kind: "url" as const, url: url.trim() } };
    const body = { type, title: title.trim(), at: spot.at, ...(spot.into !== null && { into: spot.into }), ...target };
    const done = await writing.run({ send: (place, kept) => insertNavigationPage(place, body, kept), onRefused: setReason });
    setIsBusy(false);
    if (done) onClose();
  };
  return (
    <Form title={isLink ? space.newLink : space.newGroup} action={shell.create} isBusy={isBusy} onClose={onClose} onSubmit={() => void create()}>
      <TextField label={isLink ? space.linkName : space.groupTitle} value={title} onChange={setTitle} autoFocus isRequired error={isLink ? undefined : reason} />
      {isLink && <TextField label={space.linkTarget} value={url} onChange={setUrl} placeholder="https://" description={space.linkTargetHint} isRequired error={reason} />}
    </Form>
  );
}
