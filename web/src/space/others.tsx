import { lazy } from "react";

export type { CommentTarget } from "../review/comments";

/** The editor of a page. */
export const PageEditor = lazy(() => import("../editor"));

const review = () => import("../review");

/** The bar of a change request. */
export const ChangeRequestBar = lazy(async () => ({ default: (await review()).ChangeRequestBar }));

/** The review of a change request. */
export const ReviewScreen = lazy(async () => ({ default: (await review()).ReviewScreen }));

/** The change requests of a space. */
export const ChangeRequestList = lazy(async () => ({ default: (await review()).ChangeRequestList }));

/** The differences of a page between two revisions. */
export const Comparison = lazy(() => import("./comparison"));

/** The comments on a page. */
export const Comments = lazy(async () => ({ default: (await review()).Comments }));

/** Says that a page is made from an API specification. */
export const MadeNotice = lazy(async () => ({ default: (await import("./made")).MadeNotice }));

/** Says why the pages of a source are not there. */
export const AbsentPages = lazy(async () => ({ default: (await import("./made")).AbsentPages }));

/** The settings of a space. */
export const SpaceSettings = lazy(() => import("../space-settings"));
