import { useQueryClient } from "@tanstack/react-query";

import { useMessages } from "../../i18n";
import { CopyField } from "../../people/copy-field";
import { useChange } from "../../people/use-change";
import { Part } from "../../sites/parts";
import { Button, notify } from "../../ui";
import { FormError } from "../parts";
import { refusalOf } from "../refusal";
import { type GitSync, gitKey, setGitSync } from "./queries";
import { rememberSecret, useSecret } from "./secret";
import { bodyOf, valuesOf } from "./values";

/** The address and the secret of the webhook that starts runs. */
export function Webhook({ space, sync, isAdmin }: { space: string; sync: GitSync; isAdmin: boolean }) {
  const { git } = useMessages().spaceSettings;
  const cache = useQueryClient();
  const secret = useSecret(space);
  const rotate = useChange(() => setGitSync(space, { ...bodyOf(valuesOf(sync)), rotateWebhookSecret: true }), {
    forget: [gitKey(space)],
    isQuiet: true,
    onDone: (made) => {
      rememberSecret(cache, space, made);
      notify(git.rotated, { tone: "success" });
    },
  });
  return (
    <Part title={git.webhook} hint={git.webhookHint}>
      <div className="stack sites-narrow">
        <CopyField label={git.webhookUrl} value={sync.webhookUrl} />
        {secret !== undefined && <CopyField label={git.secret} value={secret} description={git.secretOnce} />}
        {isAdmin && secret === undefined && (
          <div>
            <p className="hint-text people-lead">{git.secretHidden}</p>
            <FormError>{refusalOf(rotate.error)?.reason}</FormError>
            <Button icon="key" isPending={rotate.isPending} onPress={() => rotate.mutate()}>
              {git.rotate}
            </Button>
          </div>
        )}
      </div>
    </Part>
  );
}
