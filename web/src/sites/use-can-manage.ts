import { useQuery } from "@tanstack/react-query";

import { ApiError } from "../api/errors";
import { organizationQuery } from "../api/queries";
import { shareLinksQuery, type SiteRef } from "./queries";

/**
 * True if the person may change a site, or if that is not known yet. A role on the site itself is
 * known only by a request that needs one, such as for the share links.
 */
export function useCanManage(site: SiteRef): boolean {
  const creates = useQuery(organizationQuery(site.organization)).data?.permissions.createContent;
  const probe = useQuery({ ...shareLinksQuery(site), enabled: creates === false });
  return !(creates === false && probe.error instanceof ApiError && probe.error.status === 403);
}
