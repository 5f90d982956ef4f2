import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { FileTrigger } from "react-aria-components";

import { client, data } from "../../api/client";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Button, Dialog, notify, Select } from "../../ui";
import { Field, Form } from "../parts";
import { pathOf, type SiteRef, type SiteSpace, siteSpacesQuery } from "../queries";
import { type PastedRedirect, readRedirects } from "./csv";
import { keyOfRedirects } from "./redirects";

/** Maximum number of redirects in one request. */
const MAX_REDIRECTS = 500;

interface Failure {
  line: number;
  source: string;
  error: string;
}

/** Returns the id of the space that a table names by its path or its title. */
function spaceNamed(name: string, spaces: readonly SiteSpace[]): string | undefined {
  const asked = name.toLocaleLowerCase();
  return spaces.find(({ path, title }) => path === asked || title.toLocaleLowerCase() === asked)?.space.id;
}

/** Sends redirects and returns those that were refused. */
async function send(site: SiteRef, pasted: readonly (PastedRedirect & { spaceId: string })[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let from = 0; from < pasted.length; from += MAX_REDIRECTS) {
    const part = pasted.slice(from, from + MAX_REDIRECTS);
    const redirects = part.map(({ source, path, permanent, spaceId }) => ({ source, permanent, destination: { kind: "path" as const, spaceId, path } }));
    const { results } = await data(client.PUT("/orgs/{organizationId}/sites/{siteId}/redirects", { params: { path: pathOf(site) }, body: { redirects } }));
    const lines = new Map(part.map(({ source, line }) => [source, line]));
    for (const result of results) {
      if (result.status === "error") failures.push({ line: lines.get(result.source) ?? 0, source: result.source, error: result.error });
    }
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
  const add = useChange(
    async (chosenSpace: string) => {
      const found = pasted.redirects.map((redirect) => ({
        ...redirect,
        spaceId: redirect.space === "" ? chosenSpace : spaceNamed(redirect.space, spaces.data ?? []),
      }));
      const unknown = found.filter(({ spaceId }) => spaceId === undefined);
      const refused = await send(site, found.flatMap(({ spaceId, ...redirect }) => (spaceId === undefined ? [] : [{ ...redirect, spaceId }])));
      return [...unknown.map(({ line, source, space }) => ({ line, source, error: sites.unknownSpace(space) })), ...refused].sort((a, b) => a.line - b.line);
    },
    {
      forget: [keyOfRedirects(site)],
      isQuiet: true,
      onDone: (found) => {
        notify(sites.redirectsAdded(pasted.redirects.length - found.length), { tone: found.length > 0 ? "info" : "success" });
        if (found.length === 0) onClose();
        setFailures(found);
      },
    },
  );
  return (
    <Dialog title={sites.importTitle} isOpen isWide isBusy={add.isPending} onClose={onClose}>
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
        <div className="row">
          <FileTrigger
            acceptedFileTypes={[".csv", ".tsv", ".txt", "text/csv"]}
            onSelect={(files) => {
              const file = files?.[0];
              if (file) void file.text().then(setText);
            }}
          >
            <Button>{sites.chooseFile}</Button>
          </FileTrigger>
        </div>
        <Select
          label={sites.pagesOf}
          options={(spaces.data ?? []).map(({ id, title }) => ({ id, label: title || shell.untitled }))}
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
              {failures.map(({ line, source, error }) => (
                <li key={line}>
                  {sites.lineNumber(line)} <span className="sites-mono">{source}</span>: {error}
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
