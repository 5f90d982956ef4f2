import { type InfiniteData, infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { client, data } from "../api/client";
import { nextPage } from "../people/queries";
import { notify } from "../ui";
import { changedBy, type Mark, marked, type Notification } from "./notification";
import { INTERVAL, keyOf, read, unreadQuery } from "./unread";

/** Number of notifications that a list reads at once. */
const PAGE_SIZE = 25;

/** A page of the list, as the operation answers it. */
interface Page {
  items: Notification[];
  unread: number;
  next?: { page: string };
}

type Pages = InfiniteData<Page, string>;

/** The notifications, newest first, page by page. */
export const notificationsQuery = (organization: string, isUnreadOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(organization), "list", isUnreadOnly],
    refetchInterval: INTERVAL,
    initialPageParam: "",
    queryFn: async ({ pageParam, signal, client: cache }): Promise<Page> => {
      const query = { limit: PAGE_SIZE, ...(isUnreadOnly && { read: false }), ...(pageParam !== "" && { page: pageParam }) };
      const found = await data(read(organization, query, signal));
      cache.setQueryData(unreadQuery(organization).queryKey, found.unread);
      return found;
    },
    getNextPageParam: nextPage,
  });

/** Returns what marks notifications as read or unread. It is shown at once. */
export function useMark(organization: string) {
  const cache = useQueryClient();
  const list = [...keyOf(organization), "list"];
  const unread = unreadQuery(organization).queryKey;
  return useMutation({
    mutationFn: ({ isRead, ids }: Mark) => {
      const body = { read: isRead, ...(ids && { notifications: [...ids] }) };
      return data(client.PATCH("/bindery/orgs/{organizationId}/notifications", { params: { path: { organizationId: organization } }, body }));
    },
    onMutate: (mark: Mark) => {
      const before = cache.getQueriesData<Pages>({ queryKey: list }).flatMap(([, known]) => known?.pages.flatMap(({ items }) => items) ?? []);
      cache.setQueryData(unread, (count) => (count === undefined ? undefined : changedBy(mark, before, count)));
      cache.setQueriesData<Pages>({ queryKey: list }, (known) => known && { ...known, pages: known.pages.map((page) => ({ ...page, items: marked(page.items, mark) })) });
    },
    onSuccess: (answer) => cache.setQueryData(unread, answer.unread),
    onError: (error) => {
      notify(error.message, { tone: "danger" });
      void cache.invalidateQueries({ queryKey: keyOf(organization) });
    },
  });
}
