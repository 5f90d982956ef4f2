import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Button, ErrorState, IconButton, Loading, notify } from "../ui";
import { changeCustomization } from "./look/save";
import { Field, Form, Part } from "./parts";
import { customizationQuery, type SiteRef } from "./queries";

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

type Change = { add: readonly string[] } | { remove: readonly string[] };

/** Returns groups of words with one more, or without one. */
function changed(groups: readonly string[][], change: Change): string[][] {
  const group = "add" in change ? change.add : change.remove;
  const others = groups.filter((one) => one.join("\n") !== group.join("\n"));
  return "add" in change ? [...others, [...group]] : others;
}

function Synonyms({ site, groups }: { site: SiteRef; groups: readonly string[][] }) {
  const { sites, shell } = useMessages();
  const cache = useQueryClient();
  const [text, setText] = useState("");
  const save = useChange(
    (change: Change) => changeCustomization(site, (now) => ({ ...now, search: { ...now.search, synonyms: changed(now.search?.synonyms ?? [], change) } })),
    { forget: [], isQuiet: true, onDone: (customization) => cache.setQueryData(customizationQuery(site).queryKey, customization) },
  );
  const shown = save.isPending ? changed(groups, save.variables) : groups;
  const words = [...new Set(text.split(",").map((word) => word.trim()).filter(Boolean))];
  const remove = (group: readonly string[]) =>
    save.mutate(
      { remove: group },
      { onSuccess: () => notify(sites.removed(group.join(", ")), { action: { label: shell.undo, run: () => save.mutate({ add: group }) } }) },
    );
  return (
    <>
      <Form onSubmit={() => save.mutate({ add: words }, { onSuccess: () => setText("") })}>
        <div className="sites-inline">
          <Field label={sites.synonymWords} value={text} onChange={setText} placeholder={sites.synonymExample} error={save.error?.message} />
          <Button type="submit" icon="plus" isPending={save.isPending} isDisabled={words.length < 2}>
            {sites.addSynonyms}
          </Button>
        </div>
      </Form>
      {shown.length > 0 && (
        <ul className="list sites-gap">
          {shown.map((group) => (
            <li key={group.join("\n")}>
              <span className="grow">{group.join(" = ")}</span>
              <IconButton icon="trash" label={sites.removeNamed(group.join(", "))} onPress={() => remove(group)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
