import { ChangeRequestList } from "../review";

/** The change requests of an organization. */
export default function ChangeRequests({ organization }: { organization: string }) {
  return <ChangeRequestList organization={organization} />;
}
