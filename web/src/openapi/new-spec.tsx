import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import { client, data } from "../api/client";
import { ApiError } from "../api/errors";
import { useMessages } from "../i18n";
import { useChange } from "../people/use-change";
import { Form } from "../sites/parts";
import { fieldErrors } from "../space-settings/refusal";
import { Button, Dialog, TextField } from "../ui";
import { addressOfSpecs, keyOfSpecs, specQuery } from "./queries";
import { type Given, slugOfSource, SourceFields, sourceOf } from "./source-fields";
import { isSlug, type Source } from "./spec";

/** The window that adds a specification. */
export function NewSpec({ organization, onClose }: { organization: string; onClose: () => void }) {
  const { openapi, shell } = useMessages();
  const [given, setGiven] = useState<Given>({ way: "url", url: "", file: undefined, text: "" });
  const [ownSlug, setOwnSlug] = useState<string>();
  const [mistakes, setMistakes] = useState<{ slug?: string; source?: string }>({});
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const slug = ownSlug ?? slugOfSource(given);
  const add = useChange(
    (source: Source) => data(client.POST("/orgs/{organizationId}/openapi", { params: { path: { organizationId: organization } }, body: { slug, source } })),
    {
      forget: [[...keyOfSpecs(organization), "list"]],
      isQuiet: true,
      onDone: (spec) => {
        cache.setQueryData(specQuery({ organization, slug: spec.slug }).queryKey, spec);
        onClose();
        navigate(addressOfSpecs(organization, spec.slug));
      },
    },
  );
  const refused = fieldErrors(add.error, ["/slug", "/source"]);
  const isTaken = add.error instanceof ApiError && add.error.status === 409 && refused.at("/slug") !== undefined;
  const submit = () => {
    const source = sourceOf(given);
    const found = { ...(!isSlug(slug) && { slug: openapi.notSlug }), ...(source === undefined && { source: given.way === "file" ? openapi.noFile : openapi.noText }) };
    add.reset();
    setMistakes(found);
    if (source !== undefined && found.slug === undefined) add.mutate(source);
  };
  const change = (next: Given) => {
    setGiven(next);
    setMistakes({});
    if (add.isError) add.reset();
  };
  return (
    <Dialog title={openapi.add} isOpen isBusy={add.isPending} onClose={onClose}>
      <Form onSubmit={submit}>
        <SourceFields given={given} onChange={change} error={mistakes.source ?? refused.at("/source")} />
        <TextField
          label={openapi.slug}
          value={slug}
          onChange={(text) => {
            setOwnSlug(text);
            setMistakes({});
            if (add.isError) add.reset();
          }}
          spellCheck="false"
          isRequired
          description={openapi.slugHint}
          error={mistakes.slug ?? (isTaken ? openapi.slugTaken(slug) : refused.at("/slug"))}
        />
        {refused.above !== undefined && (
          <p className="error-text" role="alert">
            {refused.above}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button kind="primary" type="submit" isPending={add.isPending}>
            {openapi.addIt}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
