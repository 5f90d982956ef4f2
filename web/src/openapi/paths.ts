import type { Client } from "openapi-fetch";

import { client } from "../api/client";
import type { Changes } from "./changes";

interface SpecPath {
  organizationId: string;
  specSlug: string;
}

interface Operation<Path, Answer, Query = never> {
  parameters: { path: Path; query?: Query };
  responses: { 200: { content: { "application/json": Answer } } };
}

/** Operations on specifications that the generated types do not have. */
interface Paths {
  "/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes": {
    get: Operation<SpecPath & { versionId: string }, Changes, { level?: string; query?: string; page?: string; limit?: number }>;
  };
}

/** The client of the API, with the types of these operations. */
export const specClient = client as unknown as Client<Paths>;
