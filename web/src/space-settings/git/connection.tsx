import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";

import { addressOf, type Place } from "../../api/place";
import { spaceQuery } from "../../api/queries";
import { useMessages } from "../../i18n";
import { useChange } from "../../people/use-change";
import { Form, Part } from "../../sites/parts";
import { Button, notify } from "../../ui";
import { FormError } from "../parts";
import { fieldErrors } from "../refusal";
import { BranchFields } from "./branch-fields";
import { type GitSync, gitKey, setGitSync } from "./queries";
import { CredentialsFields, RepositoryFields } from "./repository-fields";
import { rememberSecret } from "./secret";
import { SyncFields } from "./sync-fields";
import { bodyOf, isSsh, type Values, valuesOf } from "./values";

/** The places of the request that the form always shows. */
const FIELDS = [
  "/url",
  "/ref",
  "/projectDirectory",
  "/credentials/kind",
  "/pollingInterval",
  "/commitMessage",
  "/changeRequests/import",
  "/changeRequests/branchPrefix",
  "/changeRequests/service",
  "/changeRequests/apiUrl",
];

/** The places of the request that the form shows for a kind of credentials. */
const CREDENTIALS: Record<Values["credentials"], readonly string[]> = {
  kept: [],
  none: [],
  token: ["/credentials/token"],
  basic: ["/credentials/username", "/credentials/password"],
  ssh: ["/credentials/privateKey", "/credentials/hostKeys"],
};

/** The form that connects a space with a repository, or changes the connection. */
export function Connection({ place, sync }: { place: Place; sync: GitSync | null }) {
  const { spaceSettings, shell } = useMessages();
  const { git } = spaceSettings;
  const [values, setValues] = useState(() => valuesOf(sync));
  const [, navigate] = useLocation();
  const cache = useQueryClient();
  const overview = addressOf(place, "~/settings/git");
  const save = useChange(() => setGitSync(place.space, bodyOf(values)), {
    forget: [gitKey(place.space), spaceQuery(place.space).queryKey],
    isQuiet: true,
    onDone: (made) => {
      rememberSecret(cache, place.space, made);
      notify(sync ? spaceSettings.saved : git.connected, { tone: "success" });
      navigate(overview);
    },
  });
  const set = (change: Partial<Values>) =>
    setValues((known) => {
      const next = { ...known, ...change };
      // Only one kind of credentials fits an address of SSH, and it fits no other address.
      if (isSsh(next.url) !== isSsh(known.url)) next.credentials = isSsh(next.url) ? "ssh" : "token";
      return next;
    });
  const errors = fieldErrors(save.error, [...FIELDS, ...CREDENTIALS[values.credentials]]);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (save.error) fields.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus();
  }, [save.error]);
  return (
    <Part title={sync ? git.edit : git.connect} {...(sync && { hint: git.reset })}>
      <Form onSubmit={() => save.mutate()}>
        <div ref={fields} className="settings-form">
          <RepositoryFields values={values} set={set} errors={errors} />
          <CredentialsFields values={values} set={set} errors={errors} isNew={sync === null} />
          <SyncFields values={values} set={set} errors={errors} isNew={sync === null} />
          <BranchFields values={values} set={set} errors={errors} />
        </div>
        <FormError>{errors.above}</FormError>
        <div className="row">
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {sync ? shell.save : git.connectDo}
          </Button>
          <Button onPress={() => navigate(overview)} isDisabled={save.isPending}>
            {shell.cancel}
          </Button>
        </div>
      </Form>
    </Part>
  );
}
