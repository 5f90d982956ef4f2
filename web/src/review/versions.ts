import { createContext } from "react";

import type { JsonNode } from "../editor/document";
import type { Block, Side } from "./difference";
import type { FileAddress } from "./rich";

/** The two versions of a page: their blocks by keys, and the addresses of their files. */
export interface Versions {
  organization: string;
  before: ReadonlyMap<string, JsonNode>;
  after: ReadonlyMap<string, JsonNode>;
  fileBefore: FileAddress;
  fileAfter: FileAddress;
}

const NONE = new Map<string, JsonNode>();

/** The versions that are compared. */
export const VersionsContext = createContext<Versions>({
  organization: "",
  before: NONE,
  after: NONE,
  fileBefore: () => undefined,
  fileAfter: () => undefined,
});

/** A changed block with its nodes in both versions. */
export interface TwoNodes {
  block: Block;
  side: Side;
  before: JsonNode | undefined;
  after: JsonNode | undefined;
}

/** Returns the titles of pages, for references that only name their ids. */
export const TitlesContext = createContext<(page: string) => string | undefined>(() => undefined);
