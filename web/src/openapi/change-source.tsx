import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Form } from "../sites/parts";
import { fieldErrors } from "../space-settings/refusal";
import { Button, Dialog, Loading } from "../ui";
import { keyOfSpecs, pathOf, specQuery, type SpecRef, uploadedTextQuery } from "./queries";
import { type Given, SourceFields, sourceOf } from "./source-fields";
import type { Source, Spec } from "./spec";

/** Maximum length of a text that is shown in a field. */
const MAX_SHOWN = 1024 * 1024;

/** Returns what sets the source of a specification, which is read again even if it is the same. */
export function useSetSource(ref: SpecRef, options: { isQuiet?: boolean; onDone?: () => void } = {}) {
  const cache = useQueryClient();
  return useChange(
    (source: Source): Promise<Spec> => data(client.PUT("/orgs/{organizationId}/openapi/{specSlug}", { params: { path: pathOf(ref) }, body: { source } })),
    {
      forget: [[...keyOfSpecs(ref.organization), "list"]],
      ...(options.isQuiet && { isQuiet: true }),
      onDone: (spec) => {
        cache.setQueryData(specQuery(ref).queryKey, spec);
        options.onDone?.();
      },
    },
  );
}

/** The window that changes the source of a specification. An uploaded text can be edited. */
export function ChangeSource({ spec, specRef, onClose }: { spec: Spec; specRef: SpecRef; onClose: () => void }) {
  const { openapi } = useMessages();
  const isUploaded = spec.sourceURL === undefined && spec.lastVersion !== undefined;
  const uploaded = useQuery({ ...uploadedTextQuery(specRef, spec.lastVersion ?? ""), enabled: isUploaded });
  const text = uploaded.data !== undefined && uploaded.data.length <= MAX_SHOWN ? uploaded.data : "";
  return isUploaded && uploaded.isPending ? (
    <Dialog title={openapi.changeSource} isOpen onClose={onClose}>
      <Loading />
    </Dialog>
  ) : (
    <SourceForm spec={spec} specRef={specRef} text={text} onClose={onClose} />
  );
}

function SourceForm({ spec, specRef, text, onClose }: { spec: Spec; specRef: SpecRef; text: string; onClose: () => void }) {
  const { openapi, shell } = useMessages();
  const way = spec.sourceURL !== undefined ? "url" : text === "" ? "file" : "text";
  const [given, setGiven] = useState<Given>({ way, url: spec.sourceURL ?? "", file: undefined, text });
  const [mistake, setMistake] = useState<string>();
  const set = useSetSource(specRef, { isQuiet: true, onDone: onClose });
  const refused = fieldErrors(set.error, ["/source"]);
  const submit = () => {
    const source = sourceOf(given);
    set.reset();
    setMistake(source === undefined ? (given.way === "file" ? openapi.noFile : openapi.noText) : undefined);
    if (source !== undefined) set.mutate(source);
  };
  return (
    <Dialog title={openapi.changeSource} isOpen isBusy={set.isPending} onClose={onClose}>
      <Form onSubmit={submit}>
        <SourceFields
          given={given}
          onChange={(next) => {
            setGiven(next);
            setMistake(undefined);
            if (set.isError) set.reset();
          }}
          error={mistake ?? refused.at("/source")}
        />
        {refused.above !== undefined && (
          <p className="error-text" role="alert">
            {refused.above}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={set.isPending}>
            {openapi.saveSource}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
