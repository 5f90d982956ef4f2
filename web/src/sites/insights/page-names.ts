import { useQueries } from "@tanstack/react-query";

import { pagesQuery } from "../../api/place";
import { pageChoices } from "../page-picker";

/** A page as the events name it. */
export interface PageRef {
  page: string | null;
  space: string;
}

/** Returns the page of a value of the column `page`. */
export function pageRef(value: unknown): PageRef | undefined {
  return typeof value === "object" && value !== null && "page" in value && "space" in value ? (value as PageRef) : undefined;
}

/** Returns a function that gives the title of a page by the trees of the spaces of `pages`; `undefined` for deleted ones. */
export function usePageNames(organization: string, pages: readonly (PageRef | undefined)[]): (page: PageRef) => string | undefined {
  const spaces = [...new Set(pages.flatMap((page) => (page ? [page.space] : [])))];
  const found = useQueries({ queries: spaces.map((space) => ({ ...pagesQuery({ organization, space }), retry: false })) });
  const names = new Map(found.flatMap(({ data }) => pageChoices(data ?? []).map(({ id, title }) => [id, title] as const)));
  return ({ page }) => (page === null ? undefined : names.get(page));
}
