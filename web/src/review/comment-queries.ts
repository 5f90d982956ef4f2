import { queryOptions, useMutation } from "@tanstack/react-query";

import { keyOf, type Place } from "../api/place";
import { queries } from "../api/queries";
import { notify } from "../ui";
import { commentsOf, type CommentStatus } from "./comment-api";

/** The comments on a page, or on everything in a place. */
export const commentsQuery = (place: Place, page: string | undefined, status: CommentStatus) =>
  queryOptions({
    queryKey: [...keyOf(place), "comments", page ?? "", status],
    queryFn: () => commentsOf(place).list(status, page),
  });

/** A comment. */
export const commentQuery = (place: Place, id: string) =>
  queryOptions({
    queryKey: [...keyOf(place), "comments", "one", id],
    queryFn: () => commentsOf(place).read(id),
  });

/** Returns what happens after a change of comments: they are read again. */
export function useRefresh(place: Place) {
  return {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [...keyOf(place), "comments"] });
      void queries.invalidateQueries({ queryKey: keyOf(place), exact: true });
    },
    onError: (error: Error) => notify(error.message, { tone: "danger" }),
  };
}

/** Posts comments on a page, on a block of it, or on the place as a whole. */
export function usePost(place: Place, { page, node }: { page?: string | undefined; node?: string | undefined }, onDone: () => void) {
  const refresh = useRefresh(place);
  return useMutation({
    mutationFn: (markdown: string) =>
      commentsOf(place).post({ ...(page !== undefined && { page }), ...(node !== undefined && { node }), body: { markdown } }),
    onSuccess: () => {
      refresh.onSuccess();
      onDone();
    },
    onError: refresh.onError,
  });
}
