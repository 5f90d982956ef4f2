import "../review/review.css";

import { useQuery } from "@tanstack/react-query";

import { client, data, type Schemas } from "../api/client";
import type { Place } from "../api/place";
import { useMessages } from "../i18n";
import { DocumentRows } from "../review/document";
import { Attributes } from "../review/runs";
import { ErrorState, Loading } from "../ui";

/** The differences of a page between two revisions, block by block and word by word. */
export default function Comparison({ place, page, from, to }: { place: Place; page: string; from: string; to: string }) {
  const { space } = useMessages();
  const spaceId = place.space;
  const found = useQuery({
    queryKey: ["space", spaceId, "revision", "compare", page, from, to],
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { spaceId, pageId: page }, query: { from, to, format: "json" as const } };
      return data(client.GET("/bindery/spaces/{spaceId}/compare/pages/{pageId}", { params, signal })) as Promise<Schemas["ContentDifference"]>;
    },
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { attributes, document } = found.data;
  return (
    <div className="review-comparison">
      <Attributes attributes={attributes} />
      {attributes.length === 0 && !document?.blocks.length && <p className="muted">{space.sameText}</p>}
      {document && <DocumentRows place={place} difference={found.data} revisions={{ base: from, head: to }} mode="inline" />}
    </div>
  );
}
