import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import { client, data, type Schemas } from "../../api/client";
import { useMessages } from "../../i18n";
import { More } from "../../people/more";
import { useChange } from "../../people/use-change";
import { Badge, Checkbox, Confirm, ErrorState, IconButton, Loading, Select, Time, useNumbers } from "../../ui";
import { Part } from "../parts";
import { keyOfSite, pathOf, type SiteRef, siteSpacesQuery } from "../queries";
import { type PageRef, pageRef, usePageNames } from "./page-names";
import { type Range, ratingsQuery } from "./queries";

type Feedback = Schemas["PageFeedback"];
type Rating = Schemas["PageFeedbackRating"];

const TONES: Record<Rating, "success" | "warning" | "danger"> = { good: "success", ok: "warning", bad: "danger" };

function useFeedback(site: SiteRef, rating: Rating | undefined, commented: boolean) {
  return useInfiniteQuery({
    queryKey: [...keyOfSite(site), "feedback", rating ?? null, commented],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 25, ...(pageParam && { page: pageParam }), ...(rating && { rating }), ...(commented && { commented }) };
      return data(client.GET("/bindery/orgs/{organizationId}/sites/{siteId}/page-feedback", { params: { path: pathOf(site), query }, signal }));
    },
    getNextPageParam: ({ next }) => next?.page,
  });
}

/** The ratings of pages by their readers. */
export function Ratings({ site, range }: { site: SiteRef; range: Range }) {
  const { sites } = useMessages();
  const numbers = useNumbers();
  const found = useQuery(ratingsQuery(site, range));
  const rows = (found.data ?? []).map((row) => ({ page: pageRef(row.page), rating: row.pageFeedbackRating as Record<Rating, number> | undefined }));
  const nameOf = usePageNames(site.organization, rows.map(({ page }) => page));
  return (
    <Part title={sites.ratings}>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && rows.length === 0 && <p className="muted">{sites.noRatings}</p>}
      {rows.length > 0 && (
        <div className="table-scroll">
          <table className="table sites-figures">
            <thead>
              <tr>
                <th scope="col">{sites.page}</th>
                {(["good", "ok", "bad"] as const).map((rating) => (
                  <th key={rating} scope="col">
                    {sites.ratingNames[rating]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ page, rating }, at) => (
                <tr key={at}>
                  <td>{page ? <PageLink site={site} page={page} name={nameOf(page)} /> : sites.unknownPage}</td>
                  {(["good", "ok", "bad"] as const).map((one) => (
                    <td key={one}>{numbers(rating?.[one] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

/** A link to a page with the space that it is in, if the site has several, or a text if it was deleted. */
export function PageLink({ site, page, name }: { site: SiteRef; page: PageRef; name: string | undefined }) {
  const { sites, shell } = useMessages();
  const spaces = useQuery(siteSpacesQuery(site)).data ?? [];
  if (page.page === null || name === undefined) return <>{sites.unknownPage}</>;
  const space = spaces.length > 1 ? spaces.find((one) => one.space.id === page.space)?.title : undefined;
  return (
    <span className="sites-page">
      <Link href={`/o/${site.organization}/s/${page.space}/${page.page}`}>{name || shell.untitled}</Link>
      {space !== undefined && <span className="muted">{space}</span>}
    </span>
  );
}

/** The single ratings and comments of readers, the newest first. */
export function FeedbackList({ site }: { site: SiteRef }) {
  const { sites, shell } = useMessages();
  const [rating, setRating] = useState<Rating | "all">("all");
  const [isCommented, setIsCommented] = useState(false);
  const [removing, setRemoving] = useState<Feedback>();
  const found = useFeedback(site, rating === "all" ? undefined : rating, isCommented);
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const nameOf = usePageNames(site.organization, items);
  const remove = useChange(
    ({ id }: Feedback) => {
      const params = { path: { ...pathOf(site), pageFeedbackId: id } };
      return data(client.DELETE("/bindery/orgs/{organizationId}/sites/{siteId}/page-feedback/{pageFeedbackId}", { params }));
    },
    { forget: [[...keyOfSite(site), "feedback"]], onDone: () => setRemoving(undefined) },
  );
  const options = [{ id: "all" as const, label: sites.allRatings }, ...(["good", "ok", "bad"] as const).map((id) => ({ id, label: sites.ratingNames[id] }))];
  return (
    <Part title={sites.feedbackList}>
      <div className="sites-inline">
        <Select label={sites.rating} isLabelHidden options={options} value={rating} onChange={setRating} />
        <Checkbox isSelected={isCommented} onChange={setIsCommented}>
          {sites.onlyComments}
        </Checkbox>
      </div>
      {found.isPending && <Loading />}
      {found.isError && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && items.length === 0 && <p className="muted">{rating === "all" && !isCommented ? sites.noFeedback : shell.noResults}</p>}
      {items.length > 0 && (
        <ul className="list">
          {items.map((item) => (
            <li key={item.id} className="sites-wrap">
              <span className="sites-rating">
                <Badge tone={TONES[item.rating]}>{sites.ratingNames[item.rating]}</Badge>
              </span>
              <div className="grow">
                <PageLink site={site} page={item} name={nameOf(item)} />
                {item.comment !== undefined && <p>{item.comment}</p>}
              </div>
              <span className="muted">
                <Time at={item.createdAt} />
              </span>
              <IconButton icon="trash" label={sites.deleteFeedback} onPress={() => setRemoving(item)} />
            </li>
          ))}
        </ul>
      )}
      {found.isSuccess && <More {...found} />}
      <Confirm
        title={sites.deleteFeedback}
        action={sites.remove}
        isOpen={removing !== undefined}
        isBusy={remove.isPending}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && remove.mutate(removing)}
      >
        <p>{sites.deleteFeedbackHint}</p>
      </Confirm>
    </Part>
  );
}
