import { all, client, data, type Schemas } from "../api/client";
import type { Place } from "../api/place";

export type CommentStatus = "open" | "resolved";
type Body = Schemas["UpdateCommentSchema"];
type ReplyBody = Schemas["UpdateCommentReplySchema"];

const BASE = "/spaces/{spaceId}/comments" as const;
const IN_CHANGE = "/spaces/{spaceId}/change-requests/{changeRequestId}/comments" as const;
const LIMIT = 100;

/** Returns the operations on the comments of a place: those of the main content, or of a change request. */
export function commentsOf({ space: spaceId, changeRequest }: Place) {
  return changeRequest === undefined ? ofSpace(spaceId) : ofChangeRequest({ spaceId, changeRequestId: changeRequest });
}

function ofSpace(spaceId: string) {
  return {
    list: (status: CommentStatus, targetPage?: string) =>
      all<Schemas["Comment"]>((page) => {
        const query = { status, format: "document" as const, limit: LIMIT, ...(targetPage && { targetPage }), ...(page && { page }) };
        return data(client.GET(BASE, { params: { path: { spaceId }, query } }));
      }),
    post: (body: Schemas["PostCommentSchema"]) => data(client.POST(BASE, { params: { path: { spaceId } }, body })),
    read: (commentId: string) => data(client.GET(`${BASE}/{commentId}`, { params: { path: { spaceId, commentId }, query: { format: "markdown" } } })),
    change: (commentId: string, body: Body) => data(client.PUT(`${BASE}/{commentId}`, { params: { path: { spaceId, commentId } }, body })),
    remove: (commentId: string) => data(client.DELETE(`${BASE}/{commentId}`, { params: { path: { spaceId, commentId } } })),
    replies: (commentId: string) =>
      all<Schemas["CommentReply"]>((page) => {
        const query = { format: "document" as const, limit: LIMIT, ...(page && { page }) };
        return data(client.GET(`${BASE}/{commentId}/replies`, { params: { path: { spaceId, commentId }, query } }));
      }),
    reply: (commentId: string, body: Schemas["Document"]) => data(client.POST(`${BASE}/{commentId}/replies`, { params: { path: { spaceId, commentId } }, body: { body } })),
    readReply: (commentId: string, commentReplyId: string) =>
      data(client.GET(`${BASE}/{commentId}/replies/{commentReplyId}`, { params: { path: { spaceId, commentId, commentReplyId }, query: { format: "markdown" } } })),
    changeReply: (commentId: string, commentReplyId: string, body: ReplyBody) =>
      data(client.PUT(`${BASE}/{commentId}/replies/{commentReplyId}`, { params: { path: { spaceId, commentId, commentReplyId } }, body })),
    removeReply: (commentId: string, commentReplyId: string) =>
      data(client.DELETE(`${BASE}/{commentId}/replies/{commentReplyId}`, { params: { path: { spaceId, commentId, commentReplyId } } })),
  };
}

function ofChangeRequest(path: { spaceId: string; changeRequestId: string }): ReturnType<typeof ofSpace> {
  return {
    list: (status, targetPage) =>
      all<Schemas["Comment"]>((page) => {
        const query = { status, format: "document" as const, limit: LIMIT, ...(targetPage && { targetPage }), ...(page && { page }) };
        return data(client.GET(IN_CHANGE, { params: { path, query } }));
      }),
    post: (body) => data(client.POST(IN_CHANGE, { params: { path }, body })),
    read: (commentId) => data(client.GET(`${IN_CHANGE}/{commentId}`, { params: { path: { ...path, commentId }, query: { format: "markdown" } } })),
    change: (commentId, body) => data(client.PUT(`${IN_CHANGE}/{commentId}`, { params: { path: { ...path, commentId } }, body })),
    remove: (commentId) => data(client.DELETE(`${IN_CHANGE}/{commentId}`, { params: { path: { ...path, commentId } } })),
    replies: (commentId) =>
      all<Schemas["CommentReply"]>((page) => {
        const query = { format: "document" as const, limit: LIMIT, ...(page && { page }) };
        return data(client.GET(`${IN_CHANGE}/{commentId}/replies`, { params: { path: { ...path, commentId }, query } }));
      }),
    reply: (commentId, body) => data(client.POST(`${IN_CHANGE}/{commentId}/replies`, { params: { path: { ...path, commentId } }, body: { body } })),
    readReply: (commentId, commentReplyId) =>
      data(client.GET(`${IN_CHANGE}/{commentId}/replies/{commentReplyId}`, { params: { path: { ...path, commentId, commentReplyId }, query: { format: "markdown" } } })),
    changeReply: (commentId, commentReplyId, body) =>
      data(client.PUT(`${IN_CHANGE}/{commentId}/replies/{commentReplyId}`, { params: { path: { ...path, commentId, commentReplyId } }, body })),
    removeReply: (commentId, commentReplyId) =>
      data(client.DELETE(`${IN_CHANGE}/{commentId}/replies/{commentReplyId}`, { params: { path: { ...path, commentId, commentReplyId } } })),
  };
}
