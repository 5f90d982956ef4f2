import "./review.css";

import type { Place } from "../api/place";
import { Bar } from "./bar";
import { List } from "./list";
import { Screen } from "./screen";

export { Comments } from "./comments";

/** The bar of a change request; nothing in the main content. */
export function ChangeRequestBar({ place }: { place: Place }) {
  const { changeRequest } = place;
  return changeRequest === undefined ? null : <Bar key={changeRequest} place={{ ...place, changeRequest }} />;
}

/** The review of a change request; nothing in the main content. */
export function ReviewScreen({ place }: { place: Place }) {
  const { changeRequest } = place;
  return changeRequest === undefined ? null : <Screen key={changeRequest} place={{ ...place, changeRequest }} />;
}

/** The change requests of a space or of an organization. */
export function ChangeRequestList({ organization, space }: { organization: string; space?: string }) {
  return <List organization={organization} space={space} />;
}
