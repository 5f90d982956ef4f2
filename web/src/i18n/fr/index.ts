import type { Messages } from "../index";
import { editor } from "./editor";
import { home } from "./home";
import { notifications } from "./notifications";
import { openapi } from "./openapi";
import { people } from "./people";
import { review } from "./review";
import { settings } from "./settings";
import { audit } from "./settings-audit";
import { shell } from "./shell";
import { sites } from "./sites";
import { space } from "./space";
import { spaceSettings } from "./space-settings";

/** The French catalogue. */
export const fr: Messages = { editor, review, shell, home, notifications, openapi, space, people, sites, spaceSettings, settings, audit };
