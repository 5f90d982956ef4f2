import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { ApiError } from "../api/errors";
import { addressOf, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { notify } from "../ui";
import { reasonsOf } from "./rules";

/** The place of a change request. */
export type ChangePlace = Place & { changeRequest: string };

function pathOf({ space: spaceId, changeRequest: changeRequestId }: ChangePlace) {
  return { path: { spaceId, changeRequestId } };
}

/** Forgets what was read of a space, except for revisions and their differences, which never change. */
function forget({ space, organization }: Place): void {
  void queries.invalidateQueries({
    predicate: ({ queryKey: [kind, id, part, , detail] }) => kind === "space" && id === space && part !== "revision" && detail !== "differences",
  });
  void queries.invalidateQueries({ queryKey: ["org", organization, "changes"] });
}

function failed(error: Error): void {
  notify(error.message, { tone: "danger" });
}

/** The fields of a change request that people change. */
export interface Fields {
  subject?: string;
  description?: Schemas["JSONDocument"];
  status?: "draft" | "open" | "archived";
}

/** Changes the subject, the description or the status of a change request. */
export function usePatch(place: ChangePlace) {
  return useMutation({
    mutationFn: (body: Fields) =>
      data(client.PATCH("/spaces/{spaceId}/change-requests/{changeRequestId}", { params: pathOf(place), body })),
    onSuccess: () => forget(place),
    onError: failed,
  });
}

/** Archives or opens a change request, and offers to undo it. */
export function useStatus(place: ChangePlace, current: Schemas["ChangeRequestStatus"]) {
  const { review, shell } = useMessages();
  const patch = usePatch(place);
  return (status: "draft" | "open" | "archived") => {
    const undo = current === "merged" ? undefined : { label: shell.undo, run: () => patch.mutate({ status: current }) };
    patch.mutate({ status }, { onSuccess: () => notify(review.becameStatus[status], { ...(undo && { action: undo }) }) });
  };
}

/** Merges a change request and goes to the main content, or to the conflicts. A refusal is passed to `onRefused`. */
export function useMerge(place: ChangePlace, number: number, onRefused: (reasons: string[]) => void) {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: () => data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/merge", { params: pathOf(place) })),
    onSuccess: ({ result }) => {
      forget(place);
      if (result === "conflicts") {
        notify(review.hasConflicts);
        navigate(`${addressOf(place, "~/review")}#conflicts`);
      } else {
        notify(review.merged(number), { tone: "success" });
        navigate(addressOf({ organization: place.organization, space: place.space }));
      }
    },
    onError: (error: Error) => {
      if (error instanceof ApiError && error.status === 409) onRefused(reasonsOf(error.message));
      else failed(error);
    },
  });
}

/** Takes the changes of the main content over. */
export function useUpdate(place: ChangePlace) {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: () => data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/update", { params: pathOf(place) })),
    onSuccess: ({ result }) => {
      forget(place);
      if (result === "conflicts") {
        notify(review.hasConflicts);
        navigate(`${addressOf(place, "~/review")}#conflicts`);
      } else notify(review.updated, { tone: "success" });
    },
    onError: failed,
  });
}

/** Asks people for a review. */
export function useRequestReview(place: ChangePlace, onDone: () => void) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: (body: { users: string[]; subject?: string; description?: Schemas["JSONDocument"] }) => {
      const path = "/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers" as const;
      return data(client.POST(path, { params: pathOf(place), body }));
    },
    onSuccess: () => {
      forget(place);
      notify(review.requested, { tone: "success" });
      onDone();
    },
    onError: failed,
  });
}

/** Takes back that a person was asked for a review. */
export function useUnrequest(place: ChangePlace) {
  return useMutation({
    mutationFn: (userId: string) => {
      const path = "/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}" as const;
      return data(client.DELETE(path, { params: { path: { ...pathOf(place).path, userId } } }));
    },
    onSuccess: () => forget(place),
    onError: failed,
  });
}

/** Submits a review. */
export function useReview(place: ChangePlace, onDone: () => void) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: ({ status, comment }: { status: Schemas["ChangeRequestReviewStatus"]; comment: string }) => {
      const body = { status, ...(comment && { comment: { markdown: comment } }) };
      return data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", { params: pathOf(place), body }));
    },
    onSuccess: () => {
      forget(place);
      notify(review.reviewed, { tone: "success" });
      onDone();
    },
    onError: failed,
  });
}

/** Makes a page what it is in the main content from which the change request started. */
export function useDiscard(place: ChangePlace) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: ({ page }: { page: string; title: string }) =>
      data(client.POST("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/discard", { params: pathOf(place), body: { page } })),
    onSuccess: (_, { title }) => {
      forget(place);
      notify(review.discarded(title), { tone: "success" });
    },
    onError: failed,
  });
}

/** Resolves conflicts by one side. */
export function useResolve(place: ChangePlace) {
  return useMutation({
    mutationFn: (body: Schemas["ResolveConflicts"]) =>
      data(client.POST("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts", { params: pathOf(place), body })),
    onSuccess: () => forget(place),
    onError: failed,
  });
}
