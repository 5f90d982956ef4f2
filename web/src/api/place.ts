import { queryOptions } from "@tanstack/react-query";

import { client, data, type Schemas } from "./client";
import { queries } from "./queries";

/** The content of a space that pages show: the main one, or that of a change request. */
export interface Place {
  organization: string;
  space: string;
  /** The number of the change request; absent for the main content. */
  changeRequest?: string | undefined;
  /** True if changes go to the main content itself, without a change request. */
  live?: true;
}

/** Returns `true` if a place takes changes. Otherwise, a change request has to be started for them. */
export function isWritable({ changeRequest, live }: Place): boolean {
  return changeRequest !== undefined || live === true;
}

/** Returns the address of a place below the prefix of the application, such as that of a page. */
export function addressOf({ organization, space, changeRequest }: Place, rest = ""): string {
  const inSpace = `/o/${organization}/s/${space}`;
  const base = changeRequest === undefined ? inSpace : `${inSpace}/~/changes/${changeRequest}`;
  return rest === "" ? base : `${base}/${rest}`;
}

/** The beginning of the keys of everything that belongs to a place. */
export function keyOf({ space, changeRequest }: Place): readonly string[] {
  return changeRequest === undefined ? ["space", space, "main"] : ["space", space, "change", changeRequest];
}

/** A page in the tree of a place. */
export type TreePage = Schemas["RevisionPage"];

/** The tree of pages. */
export const pagesQuery = (place: Place) =>
  queryOptions({
    queryKey: [...keyOf(place), "pages"],
    queryFn: ({ signal }) => readPages(place, {}, signal),
  });

/** The tree as changes see it: one page stands for all pages that a source makes. */
export const storedPagesQuery = (place: Place) =>
  queryOptions({
    queryKey: [...keyOf(place), "stored-pages"],
    queryFn: ({ signal }) => readPages(place, { computed: false }, signal),
  });

async function readPages({ space: spaceId, changeRequest }: Place, query: { computed?: false }, signal: AbortSignal): Promise<TreePage[]> {
  if (changeRequest === undefined) {
    return (await data(client.GET("/spaces/{spaceId}/content/pages", { params: { path: { spaceId }, query }, signal }))).pages;
  }
  const params = { path: { spaceId, changeRequestId: changeRequest }, query };
  return (await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages", { params, signal }))).pages;
}

/** A page with its document, or with its Markdown. */
export const pageQuery = (place: Place, pageId: string, format: "document" | "markdown" = "document") =>
  queryOptions({
    queryKey: [...keyOf(place), "page", pageId, format],
    // To look for equal parts of a long page takes longer than it helps.
    structuralSharing: false,
    queryFn: ({ signal }) => {
      const { space: spaceId, changeRequest } = place;
      const query = { format };
      if (changeRequest === undefined) {
        const params = { path: { spaceId, pageId }, query };
        return data(client.GET("/spaces/{spaceId}/content/page/{pageId}", { params, signal }));
      }
      const params = { path: { spaceId, changeRequestId: changeRequest, pageId }, query };
      return data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}", { params, signal }));
    },
  });

/** A change request. */
export const changeRequestQuery = (spaceId: string, changeRequestId: string) =>
  queryOptions({
    queryKey: ["space", spaceId, "change", changeRequestId],
    queryFn: () => {
      const params = { path: { spaceId, changeRequestId } };
      return data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}", { params }));
    },
  });

/** One change of a content, as the operations that write content take it. */
export type ContentChange = Schemas["ChangeRequestContentChange"];

/** Reads the present revision of a place. */
export async function revisionOf({ space: spaceId, changeRequest: changeRequestId }: Place): Promise<string> {
  if (changeRequestId === undefined) return (await data(client.GET("/spaces/{spaceId}", { params: { path: { spaceId } } }))).revision;
  const params = { path: { spaceId, changeRequestId } };
  return (await data(client.GET("/spaces/{spaceId}/change-requests/{changeRequestId}", { params }))).revision;
}

/**
 * Sends changes of a content, all of which are made or none. With a `revision`, they are refused
 * with status 412 unless it is the present one.
 */
export async function sendChanges(place: Place, changes: ContentChange[], revision?: string) {
  const body = { changes };
  const headers = revision === undefined ? {} : { "If-Match": `"${revision}"` };
  if (place.live) {
    const params = { path: { spaceId: place.space } };
    return data(client.POST("/bindery/spaces/{spaceId}/content", { params, body, headers }));
  }
  const params = { path: pathOf(place), query: { compat: false } };
  return data(client.POST("/spaces/{spaceId}/change-requests/{changeRequestId}/content", { params, body, headers }));
}

/**
 * Makes changes in a content, all of them or none, and forgets what was read of the place before,
 * except for the documents of `keptPages`, whose editors know them.
 */
export async function changeContent(place: Place, changes: ContentChange[], keptPages: string[] = []) {
  const answer = await sendChanges(place, changes);
  forget(place, keptPages);
  return answer;
}

/** Inserts a group or a link into the tree of a change request. */
export async function insertNavigationPage(place: Place, body: Schemas["NewNavigationPage"], keptPages: string[] = []) {
  const answer = await data(client.POST("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/pages", { params: { path: pathOf(place) }, body }));
  forget(place, keptPages);
  return answer;
}

/** Changes the layout and the cover of a page of a change request, or the target of a link. */
export async function changeLook(place: Place, pageId: string, body: Schemas["PageLookChange"], keptPages: string[] = []) {
  const params = { path: { ...pathOf(place), pageId } };
  const answer = await data(client.PATCH("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/pages/{pageId}", { params, body }));
  forget(place, keptPages);
  return answer;
}

type InsertedFile = Extract<ContentChange, { operation: "insert_files" }>["files"][number];

/** Adds a file by a change of the content. Returns undefined if the answer has none. */
async function insertFile(place: Place, file: InsertedFile, keptPages: string[]): Promise<Schemas["RevisionFile"] | undefined> {
  const answer = await changeContent(place, [{ operation: "insert_files", files: [file] }], keptPages);
  return (answer as { insertedFiles?: Schemas["RevisionFile"][] }).insertedFiles?.[0];
}

/** Adds a file to a content. */
export async function addFile(place: Place, body: Schemas["NewFile"], keptPages: string[] = []): Promise<Schemas["RevisionFile"]> {
  if (place.live) {
    const file = await insertFile(place, body, keptPages);
    if (!file) throw new Error("the server added no file");
    return file;
  }
  const answer = await data(client.POST("/bindery/spaces/{spaceId}/change-requests/{changeRequestId}/files", { params: { path: pathOf(place) }, body }));
  forget(place, keptPages);
  return answer.file;
}

/** Adds the picture at an address to a content. Anything that is no picture is refused. */
export async function addPicture(place: Place, url: string, keptPages: string[] = []): Promise<string | undefined> {
  const name = new URL(url).pathname.split("/").findLast((part) => part !== "")?.replace(/%[0-9a-f]{2}|\\/gi, "-").slice(-120) ?? "image";
  return (await insertFile(place, { name, url, contentType: "image/*" }, keptPages))?.id;
}

/** Returns the parameters of operations on the content of a change request. */
export function pathOf({ space: spaceId, changeRequest: changeRequestId }: Place) {
  if (changeRequestId === undefined) throw new Error("the main content changes by change requests only");
  return { spaceId, changeRequestId };
}

/** Forgets what was read of a place, except for the documents of some pages. */
export function forget(place: Place, keptPages: string[]): void {
  const key = keyOf(place);
  void queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      key.every((part, at) => queryKey[at] === part) &&
      !(queryKey[key.length] === "page" && keptPages.includes(String(queryKey[key.length + 1]))),
  });
}

/** Starts a change request on a space and returns it. */
export async function startChangeRequest(spaceId: string, subject = "") {
  const made = await data(client.POST("/spaces/{spaceId}/change-requests", { params: { path: { spaceId } }, body: { subject } }));
  void queries.invalidateQueries({ queryKey: ["space", spaceId, "changes"] });
  return made;
}
