import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DropZone, FileTrigger } from "react-aria-components";
import { Link, useLocation } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, changeRequestQuery, type Place } from "../api/place";
import { spaceQuery } from "../api/queries";
import { useLanguage, useMessages } from "../i18n";
import { Button, EmptyState, ErrorState, Icon, IconButton, Loading, notify } from "../ui";
import { fileBacklinksQuery, filesQuery } from "./queries";
import { uploadFiles } from "./upload";
import { useWriting } from "./writing";

/** The files of a space, with the pages that use them. */
export function Files({ place }: { place: Place }) {
  const { space } = useMessages();
  const [, navigate] = useLocation();
  const [isUploading, setIsUploading] = useState(false);
  const found = useQuery(filesQuery(place));
  const inSpace = useQuery(spaceQuery(place.space));
  const change = useQuery({ ...changeRequestQuery(place.space, place.changeRequest ?? ""), enabled: place.changeRequest !== undefined });
  const writing = useWriting(place, "~/files");
  const isOpen = place.changeRequest === undefined || change.data?.status === "draft" || change.data?.status === "open";
  const canEdit = (inSpace.data?.permissions.editChangeRequests ?? false) && isOpen;
  const upload = async (files: File[]) => {
    if (files.length === 0) return;
    setIsUploading(true);
    const made = await uploadFiles(files, writing, ({ name }) => notify(space.tooLarge(name), { tone: "danger" }));
    setIsUploading(false);
    if (!made) return;
    notify(space.uploaded(made.files.length), { tone: "success" });
    navigate(addressOf(made.place, "~/files"));
  };
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const uploadButton = canEdit && (
    <FileTrigger allowsMultiple onSelect={(files) => void upload([...(files ?? [])])}>
      <Button icon="plus" isPending={isUploading}>
        {space.upload}
      </Button>
    </FileTrigger>
  );
  return (
    <div className="page">
      <header className="page-header">
        <h1>{space.files}</h1>
        {found.data.length > 0 && uploadButton}
      </header>
      <DropZone
        className="space-files"
        isDisabled={!canEdit}
        aria-label={space.dropFiles}
        onDrop={async ({ items }) => {
          const files = items.filter((item) => item.kind === "file");
          void upload(await Promise.all(files.map((item) => item.getFile())));
        }}
      >
        {found.data.length === 0 && (
          <EmptyState title={space.noFiles} action={uploadButton}>
            {space.noFilesHint}
          </EmptyState>
        )}
        {found.data.length > 0 && (
          <ul className="list">
            {found.data.map((file) => (
              <FileLine key={file.id} place={place} file={file} />
            ))}
          </ul>
        )}
      </DropZone>
    </div>
  );
}

/** Returns a size in bytes as people write it. */
function sizeOf(size: number, language: string): string {
  const [value, unit] = size < 1000 ? [size, "byte"] : size < 1_000_000 ? [size / 1000, "kilobyte"] : [size / 1_000_000, "megabyte"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

function FileLine({ place, file }: { place: Place; file: Schemas["RevisionFile"] }) {
  const { space } = useMessages();
  const { language } = useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  const { dimensions } = file;
  return (
    <li className="space-file">
      <span className="space-file-preview">
        {file.contentType.startsWith("image/") ? <img src={file.downloadURL} alt="" loading="lazy" /> : <Icon name="file" />}
      </span>
      <span className="space-file-name">
        <strong>{file.name}</strong>
        <span className="muted">
          {sizeOf(file.size, language)}
          {dimensions && ` · ${dimensions.width} × ${dimensions.height}`}
        </span>
        {isOpen && <Use place={place} file={file.id} />}
      </span>
      <span className="grow" />
      <Button kind="quiet" isSmall aria-expanded={isOpen} aria-label={`${space.fileUse}: ${file.name}`} onPress={() => setIsOpen(!isOpen)}>
        {space.fileUse}
      </Button>
      <IconButton icon="file" label={space.download(file.name)} onPress={() => void window.open(file.downloadURL, "_blank", "noopener")} />
    </li>
  );
}

function Use({ place, file }: { place: Place; file: string }) {
  const { space } = useMessages();
  const found = useQuery(fileBacklinksQuery(place, file));
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const pages = new Map(found.data.flatMap((one) => (one.kind === "page" ? [[one.page.id, one.page.title] as const] : [])));
  if (pages.size === 0) return <span className="muted">{space.unused}</span>;
  return (
    <span className="space-file-use">
      {[...pages].map(([id, title]) => (
        <Link key={id} href={addressOf(place, id)}>
          {title || space.untitled}
        </Link>
      ))}
    </span>
  );
}
