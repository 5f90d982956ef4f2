import { createContext, use } from "react";

import type { Schemas } from "../../api/client";
import type { SiteRef } from "../queries";

export type Customization = Schemas["SiteCustomizationSettings"];
export type Styling = Customization["styling"];
export type ThemedColour = Schemas["CustomizationThemedColor"];
export type ContentLink = Schemas["CustomizationContentLink"];
export type HeaderItem = Schemas["CustomizationHeaderItem"];
export type Target = Schemas["ContentRef"];

/** The customization that is edited, and what its fields need. */
export interface Look {
  site: SiteRef;
  value: Customization;
  /** True if it is that of one space of the site, which has fewer settings. */
  isVariant: boolean;
  set: (changes: Partial<Customization>) => void;
}

export const LookContext = createContext<Look | null>(null);

/** Returns the customization that is edited. */
export function useLook(): Look {
  const look = use(LookContext);
  if (!look) throw new Error("a field of the look is outside of its editor");
  return look;
}
