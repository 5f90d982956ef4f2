import { home } from "./home";
import { shell } from "./shell";

/** The English catalogue. The other languages have the same entries. */
export const en = { shell, home };
