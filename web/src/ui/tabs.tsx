import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";

export interface Tab {
  to: string;
  label: string;
  /** True if addresses below it belong to other tabs. */
  isExact?: boolean;
}

/** Links to the views of an area, above them. The link of the present view is scrolled into sight. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const [location] = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const bar = nav.current;
    const current = bar?.querySelector<HTMLElement>("[aria-current]");
    if (bar && current) bar.scrollLeft = current.offsetLeft - bar.offsetLeft - (bar.clientWidth - current.offsetWidth) / 2;
  }, [location]);
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(({ to, label: text, isExact }) => {
        const isCurrent = location === to || (!isExact && location.startsWith(`${to}/`));
        return (
          <Link key={to} href={to} className="tab" data-label={text} aria-current={isCurrent ? "page" : undefined}>
            {text}
          </Link>
        );
      })}
    </nav>
  );
}
