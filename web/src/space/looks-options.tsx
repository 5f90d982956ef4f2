import { useState } from "react";
import { FileTrigger } from "react-aria-components";

import { useMessages } from "../i18n";
import { Button, notify, Select, Switch, TextField } from "../ui";
import type { Looks } from "./looks";
import { uploadFiles } from "./upload";
import type { Writing } from "./writing";

interface Props {
  looks: Looks;
  canEdit: boolean;
  writing: Writing;
  /** Saves the looks and returns false if they are refused, so that the fields keep them. */
  onSave: (looks: Looks) => Promise<boolean>;
}

type Layout = Looks["layout"];
type Cover = NonNullable<Looks["cover"]>;
type LayoutSwitch = { [K in keyof Layout]: Layout[K] extends boolean ? K : never }[keyof Layout];

/** The switches of the layout, and the picture at the top of the page. */
export function LooksOptions({ looks, canEdit, writing, onSave }: Props) {
  const { space } = useMessages();
  const { layout } = looks;
  const set = (part: Partial<Layout>) => void onSave({ ...looks, layout: { ...layout, ...part } });
  const switches: [LayoutSwitch, string][] = [
    ["title", space.showTitle],
    ["description", space.showDescription],
    ["tableOfContents", space.showTableOfContents],
    ["outline", space.showOutline],
    ["pagination", space.showPagination],
    ["cover", space.showCover],
  ];
  return (
    <>
      <fieldset className="space-option-group">
        <legend>{space.layout}</legend>
        <Select
          label={space.width}
          value={layout.width}
          isDisabled={!canEdit}
          options={[
            { id: "default", label: space.widths.default },
            { id: "wide", label: space.widths.wide },
          ]}
          onChange={(width) => set({ width })}
        />
        {switches.map(([name, label]) => (
          <Switch key={name} isSelected={layout[name]} isDisabled={!canEdit} onChange={(value) => set({ [name]: value })}>
            {label}
          </Switch>
        ))}
      </fieldset>
      <CoverOptions looks={looks} canEdit={canEdit} writing={writing} onSave={onSave} />
    </>
  );
}

/** The picture at the top of a page: uploaded or from an address, with its position and size. */
function CoverOptions({ looks, canEdit, writing, onSave }: Props) {
  const { space } = useMessages();
  const { layout, cover } = looks;
  const known = cover?.ref?.kind === "url" ? cover.ref.url : "";
  const [address, setAddress] = useState<string>();
  const [position, setPosition] = useState<number>();
  const [isUploading, setIsUploading] = useState(false);
  const yPos = cover?.yPos ?? 0;
  const setCover = (part: Partial<Cover>) => onSave({ ...looks, cover: { yPos, ...cover, ...part } as Cover });
  const remove = () => onSave({ ...looks, cover: undefined });
  const commitAddress = async () => {
    const url = address?.trim();
    if (url === undefined) return;
    if (url === known || (await (url === "" ? remove() : setCover({ ref: { kind: "url", url } })))) setAddress(undefined);
  };
  const commitPosition = () => {
    if (position !== undefined && position !== yPos) void setCover({ yPos: position });
  };
  const upload = async (file: File) => {
    if (!file.type.startsWith("image/")) return notify(space.notPicture, { tone: "danger" });
    setIsUploading(true);
    const made = await uploadFiles([file], writing, () => notify(space.tooLarge(file.name), { tone: "danger" }));
    setIsUploading(false);
    const id = made?.files[0]?.id;
    if (id !== undefined) await setCover({ ref: { kind: "file", file: id } });
    setAddress(undefined);
  };
  return (
    <fieldset className="space-option-group">
      <legend>{space.cover}</legend>
      <TextField
        label={space.coverAddress}
        value={address ?? known}
        isReadOnly={!canEdit}
        placeholder="https://"
        onChange={setAddress}
        onBlur={() => void commitAddress()}
        onKeyDown={(event) => {
          if (event.key === "Enter") void commitAddress();
          else event.continuePropagation();
        }}
      />
      {canEdit && (
        <div className="row">
          <FileTrigger acceptedFileTypes={["image/*"]} onSelect={(files) => files?.[0] && void upload(files[0])}>
            <Button isSmall isPending={isUploading}>
              {space.coverUpload}
            </Button>
          </FileTrigger>
          {cover && (
            <Button isSmall kind="quiet" onPress={() => void remove()}>
              {space.removeCover}
            </Button>
          )}
        </div>
      )}
      {cover && (
        <>
          <label className="space-range">
            <span>{space.coverPosition}</span>
            <input
              type="range"
              min={-100}
              max={100}
              value={position ?? yPos}
              disabled={!canEdit}
              onChange={(event) => setPosition(Number(event.target.value))}
              onPointerUp={commitPosition}
              onKeyUp={commitPosition}
            />
          </label>
          <Select
            label={space.coverSize}
            value={layout.coverSize}
            isDisabled={!canEdit}
            options={[
              { id: "hero", label: space.coverSizes.hero },
              { id: "full", label: space.coverSizes.full },
            ]}
            onChange={(coverSize) => void onSave({ ...looks, layout: { ...layout, coverSize } })}
          />
        </>
      )}
    </fieldset>
  );
}
