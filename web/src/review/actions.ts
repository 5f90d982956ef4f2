import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { client, data, type Schemas } from "../api/client";
import { addressOf, type Place } from "../api/place";
import { queries } from "../api/queries";
import { useMessages } from "../i18n";
import { notify } from "../ui";

/** The place of a change request. */
export type ChangePlace = Place & { changeRequest: string };

function pathOf({ space: spaceId, changeRequest: changeRequestId }: ChangePlace) {
  return { path: { spaceId, changeRequestId } };
}

function forget({ space, organization }: Place): void {
  void queries.invalidateQueries({ queryKey: ["space", space] });
  void queries.invalidateQueries({ queryKey: ["org", organization, "changes"] });
}

function failed(error: Error): void {
  notify(error.message, { tone: "danger" });
}

/** Changes the subject or the status of a change request. */
export function usePatch(place: ChangePlace) {
  return useMutation({
    mutationFn: (body: { subject?: string; status?: "draft" | "open" | "archived" }) =>
      data(client.PATCH("/spaces/{spaceId}/change-requests/{changeRequestId}", { params: pathOf(place), body })),
    onSuccess: () => forget(place),
    onError: failed,
  });
}

/** Merges a change request and goes to the main content, or to the conflicts. */
export function useMerge(place: ChangePlace, number: number) {
  const { review } = useMessages();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: () => data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/merge", { params: pathOf(place) })),
    onSuccess: ({ result }) => {
      forget(place);
      if (result === "conflicts") {
        notify(review.hasConflicts, { tone: "danger" });
        navigate(addressOf(place, "~/review"));
      } else {
        notify(review.merged(number), { tone: "success" });
        navigate(addressOf({ organization: place.organization, space: place.space }));
      }
    },
    onError: failed,
  });
}

/** Takes the changes of the main content over. */
export function useUpdate(place: ChangePlace) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: () => data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/update", { params: pathOf(place) })),
    onSuccess: () => {
      forget(place);
      notify(review.updated);
    },
    onError: failed,
  });
}

/** Asks people for a review. */
export function useRequestReview(place: ChangePlace, onDone: () => void) {
  const { review } = useMessages();
  return useMutation({
    mutationFn: (users: string[]) => {
      const path = "/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers" as const;
      return data(client.POST(path, { params: pathOf(place), body: { users } }));
    },
    onSuccess: () => {
      forget(place);
      notify(review.requested, { tone: "success" });
      onDone();
    },
    onError: failed,
  });
}

/** Submits a review. */
export function useReview(place: ChangePlace, onDone: () => void) {
  return useMutation({
    mutationFn: ({ status, comment }: { status: Schemas["ChangeRequestReviewStatus"]; comment: string }) => {
      const body = { status, ...(comment && { comment: { markdown: comment } }) };
      return data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/reviews", { params: pathOf(place), body }));
    },
    onSuccess: () => {
      forget(place);
      onDone();
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
