import { useEffect, useRef } from "react";

import { useMessages } from "../i18n";
import { Button } from "../ui";

interface Props {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The end of a list that is longer: it reads more when it comes into view, or when its button is pressed. */
export function More({ hasNextPage, isFetchingNextPage, fetchNextPage }: Props) {
  const { people } = useMessages();
  const end = useRef<HTMLDivElement>(null);
  const read = useRef(fetchNextPage);
  useEffect(() => {
    read.current = fetchNextPage;
  }, [fetchNextPage]);
  useEffect(() => {
    const element = end.current;
    if (!hasNextPage || isFetchingNextPage || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void read.current();
      },
      { rootMargin: "400px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasNextPage, isFetchingNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className="people-more">
      <Button kind="quiet" isSmall isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
        {people.more}
      </Button>
    </div>
  );
}
