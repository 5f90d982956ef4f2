import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { client, data } from "../api/client";
import { useMessages } from "../i18n";
import { Part } from "../sites/parts";
import { ErrorState, notify, Switch } from "../ui";

const settingsQuery = queryOptions({
  queryKey: ["notification-settings"],
  queryFn: () => data(client.GET("/bindery/user/notification-settings")),
});

/** The switch that has notifications sent by mail as well. It takes effect at once. */
export function NotificationMail() {
  const { notifications, shell } = useMessages();
  const cache = useQueryClient();
  const found = useQuery(settingsQuery);
  const change = useMutation({
    mutationFn: (mail: boolean) => data(client.PATCH("/bindery/user/notification-settings", { body: { mail } })),
    onSuccess: (settings) => cache.setQueryData(settingsQuery.queryKey, settings),
    onError: (error) => notify(error.message, { tone: "danger" }),
  });
  const isMailed = change.isPending ? change.variables : found.data?.mail === true;
  return (
    <Part title={shell.notifications} hint={notifications.settingsHint}>
      {found.isError && !found.data ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <Switch isSelected={isMailed} isDisabled={found.isPending} onChange={(mail) => change.mutate(mail)}>
          {notifications.mail}
        </Switch>
      )}
    </Part>
  );
}
