import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { useMessages } from "../i18n";
import { CopyField } from "../people/copy-field";
import { useChange } from "../people/use-change";
import { Part } from "../sites/parts";
import { Button, Confirm, ErrorState, Loading, notify, Time } from "../ui";
import { commandOf, rememberToken, useToken } from "./hook";
import { createHook, deleteHook, hookQuery, type SpecRef } from "./queries";

/** The hook of a specification: an address by which another program has it read again. */
export function HookPart({ specRef }: { specRef: SpecRef }) {
  const { hook: texts } = useMessages().openapi;
  const found = useQuery(hookQuery(specRef));
  const create = useCreate(specRef);
  const hook = found.data;
  return (
    <Part title={texts.title} hint={texts.hint}>
      {found.isPending && <Loading />}
      {found.isError && hook === undefined && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {hook?.enabled === false && (
        <Button icon="key" isPending={create.isPending} onPress={() => create.mutate()}>
          {texts.create}
        </Button>
      )}
      {hook?.enabled === true && hook.url !== undefined && <Enabled specRef={specRef} url={hook.url} createdAt={hook.createdAt} />}
    </Part>
  );
}

/** Returns what creates the hook or replaces it. */
function useCreate(specRef: SpecRef, onDone?: () => void) {
  const cache = useQueryClient();
  return useChange(() => createHook(specRef), {
    forget: [],
    onDone: ({ token, ...hook }) => {
      rememberToken(cache, specRef, token);
      cache.setQueryData(hookQuery(specRef).queryKey, hook);
      onDone?.();
    },
  });
}

function Enabled({ specRef, url, createdAt }: { specRef: SpecRef; url: string; createdAt: string | undefined }) {
  const { hook: texts } = useMessages().openapi;
  const cache = useQueryClient();
  const token = useToken(specRef);
  const [asked, setAsked] = useState<"replace" | "remove">();
  const close = () => setAsked(undefined);
  const replace = useCreate(specRef, () => {
    close();
    notify(texts.replaced, { tone: "success" });
  });
  const remove = useChange(() => deleteHook(specRef), {
    forget: [],
    onDone: () => {
      close();
      rememberToken(cache, specRef, undefined);
      cache.setQueryData(hookQuery(specRef).queryKey, { enabled: false });
      notify(texts.removed);
    },
  });
  return (
    <div className="stack">
      <CopyField label={texts.address} value={url} />
      {token === undefined ? <p className="hint-text">{texts.hidden}</p> : <CopyField label={texts.token} value={token} description={texts.once} />}
      <CopyField label={texts.command} value={commandOf(url, token)} {...(token === undefined && { description: texts.commandHint })} isMultiline />
      <div className="row">
        <Button icon="key" onPress={() => setAsked("replace")}>
          {texts.replace}
        </Button>
        <Button kind="danger" icon="trash" onPress={() => setAsked("remove")}>
          {texts.remove}
        </Button>
        {createdAt !== undefined && (
          <span className="hint-text">
            {texts.created} <Time at={createdAt} />
          </span>
        )}
      </div>
      <Confirm title={texts.replaceTitle} action={texts.replace} isOpen={asked === "replace"} isBusy={replace.isPending} onClose={close} onConfirm={() => replace.mutate()}>
        <p>{texts.replaceWarning}</p>
      </Confirm>
      <Confirm title={texts.removeTitle} action={texts.remove} isOpen={asked === "remove"} isBusy={remove.isPending} onClose={close} onConfirm={() => remove.mutate()}>
        <p>{texts.removeWarning}</p>
      </Confirm>
    </div>
  );
}
