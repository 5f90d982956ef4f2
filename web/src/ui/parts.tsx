import { type ReactNode, useMemo, useState } from "react";

import { ApiError } from "../api/errors";
import { useLanguage, useMessages } from "../i18n";
import { Button } from ".";

/** Shows a picture, or the first letters of a name if there is none or it cannot be loaded. */
export function Avatar({ name, url }: { name: string; url?: string | undefined }) {
  const [failed, setFailed] = useState<string>();
  if (url && url !== failed) return <img className="avatar" src={url} alt="" width={24} height={24} onError={() => setFailed(url)} />;
  const letters = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();
  return (
    <span className="avatar" aria-hidden="true">
      {letters}
    </span>
  );
}

/** A short state beside a name. */
export function Badge({ children, tone = "neutral" }: { children: ReactNode; tone?: "neutral" | "info" | "success" | "warning" | "danger" | "purple" }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

/** Explains an empty list and offers what fills it. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** Explains that something could not be loaded. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { shell } = useMessages();
  const isMissing = error instanceof ApiError && error.status === 404;
  const isOffline = error instanceof ApiError && error.status === 0;
  const text = isMissing ? shell.notFound : isOffline ? shell.offline : shell.failed;
  const detail = error instanceof ApiError && !isMissing && !isOffline ? error.message : undefined;
  return (
    <div className="empty" role="alert">
      <p className="empty-title">{text}</p>
      {detail !== undefined && <p>{detail}</p>}
      {onRetry && !isMissing && <Button onPress={onRetry}>{shell.retry}</Button>}
    </div>
  );
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Shows a time as a distance from now, with the exact time for the pointer and for programs. */
export function Time({ at }: { at: string }) {
  const { language } = useLanguage();
  const { near, exact } = useMemo(() => {
    const date = new Date(at);
    const seconds = (date.getTime() - Date.now()) / 1000;
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
    const near = unit === "second" ? format.format(0, "second") : format.format(Math.round(seconds / size), unit);
    const exact = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(date);
    return { near, exact };
  }, [at, language]);
  return (
    <time dateTime={at} title={exact}>
      {near}
    </time>
  );
}
