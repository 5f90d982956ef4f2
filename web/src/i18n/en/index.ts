import { home } from "./home";
import { people } from "./people";
import { settings } from "./settings";
import { shell } from "./shell";
import { space } from "./space";

/** The English texts that the first page may need. The other languages have the same entries. */
export const en = { shell, home, space, people, settings };
