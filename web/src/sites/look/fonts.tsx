import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Confirm, Dialog, IconButton, notify } from "../../ui";
import { Field, Form } from "../parts";
import { fontsQuery } from "../queries";

/** The weights that a font must have. */
const WEIGHTS = { regular: 400, bold: 700 } as const;

/** Stores a file of a font and returns its key. */
async function upload(organizationId: string, file: File, refused: (status: number) => string): Promise<string> {
  const body = { kind: "customization_font" as const, file: { name: file.name, type: file.type || "font/woff2", size: file.size } };
  const { url, key } = await data(client.POST("/orgs/{organizationId}/storage/upload", { params: { path: { organizationId } }, body }));
  const answer = await fetch(url, { method: "PUT", body: file });
  if (!answer.ok) throw new Error(refused(answer.status));
  return key;
}

/** The fonts of an organization: a button that adds one, and those that there are. */
export function CustomFonts({ organization }: { organization: string }) {
  const { sites } = useMessages();
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<{ id: string; fontFamily: string }>();
  const fonts = useQuery(fontsQuery(organization)).data ?? [];
  const remove = useChange(
    (fontId: string) => data(client.DELETE("/orgs/{organizationId}/fonts/{fontId}", { params: { path: { organizationId: organization, fontId } } })),
    { forget: [fontsQuery(organization).queryKey], onDone: () => setRemoving(undefined) },
  );
  return (
    <div className="sites-items">
      {fonts.map((font) => (
        <div key={font.id} className="sites-one">
          <div className="sites-one-head">
            <span className="sites-one-name">{font.fontFamily}</span>
            <IconButton icon="trash" label={sites.removeNamed(font.fontFamily)} onPress={() => setRemoving(font)} />
          </div>
        </div>
      ))}
      <Button isSmall icon="plus" onPress={() => setIsAdding(true)}>
        {sites.addFont}
      </Button>
      {isAdding && <AddFont organization={organization} onClose={() => setIsAdding(false)} />}
      <Confirm
        title={sites.removeNamed(removing?.fontFamily ?? "")}
        action={sites.remove}
        isOpen={removing !== undefined}
        isBusy={remove.isPending}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && remove.mutate(removing.id)}
      >
        <p>{sites.deleteFontHint}</p>
      </Confirm>
    </div>
  );
}

function AddFont({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { sites, shell } = useMessages();
  const [family, setFamily] = useState("");
  const [files, setFiles] = useState<{ regular?: File; bold?: File }>({});
  const { regular, bold } = files;
  const add = useChange(
    async ({ regular, bold }: { regular: File; bold: File }) => {
      const [first, second] = await Promise.all([regular, bold].map((file) => upload(organization, file, sites.uploadRefused)));
      const fontFaces = [
        { weight: WEIGHTS.regular, storageKey: first ?? "" },
        { weight: WEIGHTS.bold, storageKey: second ?? "" },
      ];
      const body = { fontFamily: family.trim(), fontFaces };
      return data(client.PUT("/orgs/{organizationId}/fonts", { params: { path: { organizationId: organization } }, body }));
    },
    {
      forget: [fontsQuery(organization).queryKey],
      isQuiet: true,
      onDone: ({ fontFamily }) => {
        notify(sites.fontAdded(fontFamily), { tone: "success" });
        onClose();
      },
    },
  );
  const chooser = (weight: "regular" | "bold", label: string) => (
    <label className="sites-file">
      <span>{label}</span>
      <input
        type="file"
        accept=".woff2,.woff,.ttf,.otf"
        required
        onChange={(event) => {
          const file = event.target.files?.[0];
          setFiles((now) => ({ ...now, [weight]: file }));
        }}
      />
    </label>
  );
  return (
    <Dialog title={sites.addFont} isOpen isBusy={add.isPending} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (regular && bold) add.mutate({ regular, bold });
        }}
      >
        <p className="muted">{sites.addFontHint}</p>
        <Field label={sites.fontFamily} value={family} onChange={setFamily} autoFocus isRequired maxLength={50} error={add.error?.message} />
        {chooser("regular", sites.regularFile)}
        {chooser("bold", sites.boldFile)}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={add.isPending}>
            {sites.addFont}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
