import { FileTrigger } from "react-aria-components";

import { base64 } from "../../api/base64";
import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, notify, TextField } from "../../ui";
import { useLook } from "./model";

/** Maximum size of an image in bytes. */
const MAX_SIZE = 1024 * 1024;

interface Props {
  label: string;
  value: string;
  placeholder?: string;
  description?: string;
  onChange: (address: string) => void;
}

/** A field for the address of an image, with a button that uploads one. */
export function ImageField({ label, value, placeholder = "https://", description, onChange }: Props) {
  const { sites } = useMessages();
  const { site } = useLook();
  const upload = useChange(
    async (file: File) => {
      const path = { organizationId: site.organization, siteId: site.site };
      const body = { name: file.name, base64: await base64(file) };
      return data(client.POST("/bindery/orgs/{organizationId}/sites/{siteId}/images", { params: { path }, body }));
    },
    { forget: [], onDone: ({ url }) => onChange(url) },
  );
  const choose = (file: File | undefined) => {
    if (file && file.size > MAX_SIZE) notify(sites.imageTooLarge, { tone: "danger" });
    else if (file) upload.mutate(file);
  };
  return (
    <div className="sites-image-field">
      <TextField label={label} type="url" value={value} placeholder={placeholder} onChange={onChange} {...(description !== undefined && { description })} />
      <FileTrigger acceptedFileTypes={["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"]} onSelect={(files) => choose(files?.[0])}>
        <Button isSmall isPending={upload.isPending} aria-label={sites.uploadImage(label)}>
          {sites.upload}
        </Button>
      </FileTrigger>
    </div>
  );
}
