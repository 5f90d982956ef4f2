import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";

import { addressOf } from "../../api/place";
import { useMessages } from "../../i18n";
import { Button, EmptyState, ErrorState, Loading } from "../../ui";
import type { SettingsProps } from "..";
import { Branches } from "./branches";
import { Connection } from "./connection";
import { DryRun } from "./dry-run";
import { gitSyncQuery } from "./queries";
import { Runs } from "./runs";
import { Status } from "./status";
import { Webhook } from "./webhook";

/** The synchronisation of a space with a repository. */
export default function Git({ place, found: space, below }: SettingsProps) {
  const { spaceSettings, shell } = useMessages();
  const { git } = spaceSettings;
  const [, navigate] = useLocation();
  const { admin: isAdmin, triggerGitSync: canRun } = space.permissions;
  const found = useQuery({ ...gitSyncQuery(place.space), enabled: canRun });
  const form = addressOf(place, "~/settings/git/connection");
  if (!canRun) return <EmptyState title={git.hidden} />;
  if (found.isPending) return <Loading />;
  if (found.data === undefined) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const sync = found.data;
  if (below === "connection" && isAdmin) {
    return (
      <>
        <p className="sites-up">
          <Link href={addressOf(place, "~/settings/git")}>{git.back}</Link>
        </p>
        <Connection place={place} sync={sync} />
      </>
    );
  }
  if (below !== "") return <EmptyState title={shell.notFound} />;
  if (!sync) {
    return (
      <EmptyState
        title={git.none}
        action={
          isAdmin && (
            <Button kind="primary" icon="git" onPress={() => navigate(form)}>
              {git.connect}
            </Button>
          )
        }
      >
        {isAdmin ? git.noneHint : git.noneReader}
      </EmptyState>
    );
  }
  const { changeRequests } = sync;
  return (
    <>
      <Status place={place} sync={sync} isAdmin={isAdmin} onEdit={() => navigate(form)} />
      <DryRun place={place} />
      <Runs place={place} sync={sync} />
      {(changeRequests.export !== "none" || changeRequests.import.length > 0) && <Branches place={place} />}
      <Webhook space={place.space} sync={sync} isAdmin={isAdmin} />
    </>
  );
}
