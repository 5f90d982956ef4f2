import { editor } from "./editor";
import { notifications } from "./notifications";
import { openapi } from "./openapi";
import { review } from "./review";
import { audit } from "./settings-audit";
import { sites } from "./sites";
import { spaceSettings } from "./space-settings";

/** The English texts of areas that are opened later, in a file of their own so that the first page stays small. */
export const later = { editor, notifications, openapi, review, audit, sites, spaceSettings };
