import type { Client } from "openapi-fetch";

import { client } from "../api/client";
import type { Changes } from "./changes";
import type { Hook } from "./hook";
import type { Overlay } from "./overlays";

interface SpecPath {
  organizationId: string;
  specSlug: string;
}

interface Operation<Path, Answer, Query = never> {
  parameters: { path: Path; query?: Query };
  responses: { 200: { content: { "application/json": Answer } } };
}

interface OperationWithBody<Path, Answer, Body> extends Operation<Path, Answer> {
  requestBody: { content: { "application/json": Body } };
}

/** Operations on specifications that the generated types do not have. */
interface Paths {
  "/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/changes": {
    get: Operation<SpecPath & { versionId: string }, Changes, { level?: string; query?: string; page?: string; limit?: number }>;
  };
  "/orgs/{organizationId}/openapi/{specSlug}/overlays": {
    get: Operation<SpecPath, { items: Overlay[] }>;
    put: OperationWithBody<SpecPath, { items: Overlay[] }, { overlays: Overlay[] }>;
  };
  "/orgs/{organizationId}/openapi/{specSlug}/hook": {
    get: Operation<SpecPath, Hook>;
    put: Operation<SpecPath, Hook>;
    delete: { parameters: { path: SpecPath }; responses: { 204: { content?: never } } };
  };
}

/** The client of the API, with the types of these operations. */
export const specClient = client as unknown as Client<Paths>;
