import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { client, data, type Schemas } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Dialog, notify, Select } from "../../ui";
import { Field, Form } from "../parts";
import { pathOf, type SiteRef, siteSpacesQuery } from "../queries";
import { type PastedRedirect, readRedirects } from "./csv";
import { keyOfRedirects } from "./redirects";

/** Maximum number of redirects in one request. */
const MAX_REDIRECTS = 500;

interface Failure {
  source: string;
  error: string;
}

/** Sends redirects and returns those that were refused. */
async function send(site: SiteRef, spaceId: string, pasted: readonly PastedRedirect[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let from = 0; from < pasted.length; from += MAX_REDIRECTS) {
    const redirects = pasted.slice(from, from + MAX_REDIRECTS).map(({ source, path, permanent }) => ({
      source,
      permanent,
      destination: { kind: "path" as const, spaceId, path },
    }));
    const { results } = await data(client.PUT("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path: pathOf(site) }, body: { redirects } }));
    for (const result of results) if (result.status === "error") failures.push({ source: result.source, error: result.error });
  }
  return failures;
}

/** The window that reads redirects from a pasted table. */
export function RedirectImport({ site, onClose }: { site: SiteRef; onClose: () => void }) {
  const { sites, shell } = useMessages();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const [failures, setFailures] = useState<Failure[]>([]);
  const spaces = useQuery(siteSpacesQuery(site));
  const pasted = readRedirects(text);
  const siteSpace = spaces.data?.find(({ id }) => id === chosen) ?? spaces.data?.[0];
  const add = useChange((space: string) => send(site, space, pasted.redirects), {
    forget: [keyOfRedirects(site)],
    isQuiet: true,
    onDone: (found) => {
      notify(sites.redirectsAdded(pasted.redirects.length - found.length), { tone: found.length > 0 ? "info" : "success" });
      if (found.length === 0) onClose();
      setFailures(found);
    },
  });
  return (
    <Dialog title={sites.pasteRedirects} isOpen isWide isBusy={add.isPending} onClose={onClose}>
      <Form
        onSubmit={() => {
          if (siteSpace) add.mutate(siteSpace.space.id);
        }}
      >
        <div className="sites-code">
          <Field
            label={sites.table}
            description={sites.tableHint}
            isMultiline
            rows={10}
            value={text}
            onChange={setText}
            autoFocus
            spellCheck="false"
            placeholder={"/old/start, guides/start\n/old/setup, guides/set-up, 302"}
            error={add.error?.message}
          />
        </div>
        <Select
          label={sites.pagesOf}
          options={(spaces.data ?? []).map(({ id, title }: Schemas["SiteSpace"]) => ({ id, label: title || shell.untitled }))}
          value={siteSpace?.id ?? null}
          onChange={setChosen}
        />
        <p role="status">
          {text.trim() !== "" && sites.redirectsRead(pasted.redirects.length)} {pasted.wrong.length > 0 && sites.wrongLines(pasted.wrong.join(", "))}
        </p>
        {failures.length > 0 && (
          <div role="alert">
            <p className="error-text">{sites.redirectsRefused(failures.length)}</p>
            <ul className="sites-failures">
              {failures.map(({ source, error }) => (
                <li key={source}>
                  <span className="sites-mono">{source}</span>: {error}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={add.isPending} isDisabled={pasted.redirects.length === 0 || !siteSpace}>
            {sites.addRedirects(pasted.redirects.length)}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
