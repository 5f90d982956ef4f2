import { useQuery } from "@tanstack/react-query";

import { organizationQuery, sessionQuery } from "../api/queries";
import { memberQuery } from "../people/queries";

/** The views of the settings, in the order of their tabs. */
export const VIEWS = ["general", "merge-rules", "profile", "tokens", "audit", "jobs"] as const;
export type View = (typeof VIEWS)[number];

const OF_ADMINS: readonly View[] = ["general", "merge-rules", "audit"];

/** Returns `true` if a part of an address names a view. */
export function isView(text: string): text is View {
  return (VIEWS as readonly string[]).includes(text);
}

/** Returns the address of a view of the settings. */
export function addressOfSettings(organization: string, view: View): string {
  return `/o/${organization}/settings/${view}`;
}

/** Returns the views that the person may use, or `undefined` while their rights are not known. */
export function useViews(organization: string): readonly View[] | undefined {
  const isAdmin = useQuery(organizationQuery(organization)).data?.permissions.admin;
  const user = useQuery(sessionQuery).data?.user.id;
  const member = useQuery({ ...memberQuery(organization, user ?? ""), enabled: user !== undefined, staleTime: 60_000 });
  if (isAdmin === undefined || member.isPending) return undefined;
  const role = member.data?.role;
  const seesJobs = role === "admin" || role === "create" || role === "review" || role === "edit";
  return VIEWS.filter((view) => (OF_ADMINS.includes(view) ? isAdmin : view !== "jobs" || seesJobs));
}
