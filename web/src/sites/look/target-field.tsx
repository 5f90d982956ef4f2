import { useQuery } from "@tanstack/react-query";

import { useMessages } from "../../i18n";
import { Select, TextField } from "../../ui";
import { PagePicker } from "../page-picker";
import { siteSpacesQuery } from "../queries";
import { type Target, useLook } from "./model";

type Kind = "url" | "page" | "space" | "other";

/** Fields for the target of a link: an address, a page or a space. */
export function TargetField({ value, onChange }: { value: Target; onChange: (value: Target) => void }) {
  const { sites, shell } = useMessages();
  const { site } = useLook();
  const spaces = useQuery(siteSpacesQuery(site));
  const kind: Kind = value.kind === "url" || value.kind === "page" || value.kind === "space" ? value.kind : "other";
  const first = spaces.data?.[0]?.space.id ?? "";
  const space = "space" in value && value.space !== undefined ? value.space : first;
  const options = [
    { id: "url" as const, label: sites.webAddress },
    { id: "page" as const, label: sites.aPage },
    { id: "space" as const, label: sites.aSpace },
    ...(kind === "other" ? [{ id: "other" as const, label: sites.otherTarget }] : []),
  ];
  const choose = (chosen: Kind) => {
    if (chosen === "url") onChange({ kind: "url", url: "https://" });
    if (chosen === "page") onChange({ kind: "page", page: "", space });
    if (chosen === "space") onChange({ kind: "space", space });
  };
  const spaceSelect = (onSpace: (id: string) => void) => (
    <Select
      label={sites.space}
      options={(spaces.data ?? []).map(({ space: { id, title } }) => ({ id, label: title || shell.untitled }))}
      value={space}
      onChange={onSpace}
    />
  );
  return (
    <>
      <Select label={sites.leadsTo} options={options} value={kind} onChange={choose} />
      {value.kind === "url" && <TextField label={sites.webAddress} value={value.url} onChange={(url) => onChange({ kind: "url", url })} isRequired />}
      {value.kind === "space" && spaceSelect((id) => onChange({ kind: "space", space: id }))}
      {value.kind === "page" && (
        <>
          {(spaces.data?.length ?? 0) > 1 && spaceSelect((id) => onChange({ kind: "page", page: "", space: id }))}
          {space !== "" && (
            <PagePicker
              organization={site.organization}
              space={space}
              label={sites.page}
              value={value.page || null}
              onChange={(page) => onChange({ kind: "page", page: page ?? "", space })}
            />
          )}
        </>
      )}
    </>
  );
}
