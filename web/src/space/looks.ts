import type { Schemas } from "../api/client";

/** The layout and the cover of a page. */
export interface Looks {
  layout: Schemas["RevisionPageLayoutOptions"];
  cover: Schemas["RevisionPageDocumentCover"] | undefined;
}
