import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Button, ErrorState, IconButton, Loading, notify } from "../ui";
import { Field, Form, Part } from "./parts";
import { customizationQuery, pathOf, type SiteRef } from "./queries";

/** Words that find each other in the searches of a site. */
export default function SearchWords({ site }: { site: SiteRef }) {
  const { sites } = useMessages();
  const found = useQuery(customizationQuery(site));
  return (
    <Part title={sites.synonyms} hint={sites.synonymsHint}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && <Synonyms site={site} groups={found.data.search?.synonyms ?? []} />}
    </Part>
  );
}

function Synonyms({ site, groups }: { site: SiteRef; groups: readonly string[][] }) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const [text, setText] = useState("");
  const save = useChange(
    async (synonyms: string[][]) => {
      const path = pathOf(site);
      const now = await data(client.GET("/orgs/{organizationId}/sites/{siteId}/customization", { params: { path } }));
      const body = { ...now, search: { synonyms } };
      return data(client.PUT("/orgs/{organizationId}/sites/{siteId}/customization", { params: { path }, body }));
    },
    { forget: [], isQuiet: true, onDone: (customization) => cache.setQueryData(customizationQuery(site).queryKey, customization) },
  );
  const shown = save.isPending ? save.variables : groups;
  const words = [...new Set(text.split(",").map((word) => word.trim()).filter(Boolean))];
  const remove = (at: number) =>
    save.mutate(groups.filter((_, position) => position !== at), {
      onSuccess: () => notify(sites.removed((groups[at] ?? []).join(", ")), { action: { label: shell.undo, run: () => save.mutate([...groups]) } }),
    });
  return (
    <>
      <Form onSubmit={() => save.mutate([...groups, words], { onSuccess: () => setText("") })}>
        <div className="sites-inline">
          <Field label={sites.synonymWords} value={text} onChange={setText} placeholder={sites.synonymExample} error={save.error?.message} />
          <Button type="submit" icon="plus" isPending={save.isPending} isDisabled={words.length < 2}>
            {sites.addSynonyms}
          </Button>
        </div>
      </Form>
      {shown.length > 0 && (
        <ul className="list sites-gap">
          {shown.map((group, at) => (
            <li key={group.join("\n")}>
              <span className="grow">{group.join(" = ")}</span>
              <IconButton icon="trash" label={sites.removeNamed(group.join(", "))} onPress={() => remove(at)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
