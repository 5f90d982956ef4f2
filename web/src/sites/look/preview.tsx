import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { useMessages } from "../../i18n";
import { Button, IconButton, Loading } from "../../ui";
import { previewAddress, type SiteRef } from "../queries";
import { liveProperties } from "./live";
import type { Customization } from "./model";
import { useSize } from "./use-size";

type Mode = "light" | "dark";

/** The widths in pixels at which pages are shown; wide ones are made smaller until they fit. */
const WIDTHS = { wide: 1200, narrow: 390 };

/**
 * Reads a page of a preview. The first request opens the preview, later ones are below its address.
 * The page is read from the host of the application, which may have several names.
 */
async function readPage(address: string): Promise<{ html: string; address: string }> {
  const { pathname, search } = new URL(address, location.href);
  const answer = await fetch(pathname + search, { credentials: "same-origin", headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(`the preview answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const script of page.querySelectorAll("script")) script.remove();
  return { html: `<!DOCTYPE html>${page.documentElement.outerHTML}`, address: answer.url };
}

interface Props {
  site: SiteRef;
  siteSpace: string | undefined;
  /** The look with which the server shows the page, which is read again when it changes. */
  saved: Customization;
  /** The look with changes that are not saved. */
  value: Customization;
}

/**
 * Shows a page of a site as members see it. Pages refuse to be in frames, so the page is read and
 * shown without its scripts; links to pages of the same preview are followed here. Colours and
 * corners change at once, everything else when it is saved.
 */
export function Preview({ site, siteSpace, saved, value }: Props) {
  const { sites } = useMessages();
  const [mode, setMode] = useState<Mode>("light");
  const [isNarrow, setIsNarrow] = useState(() => matchMedia("(max-width: 60rem)").matches);
  const [size, box] = useSize();
  const width = isNarrow ? WIDTHS.narrow : WIDTHS.wide;
  const scale = Math.min(1, (size?.width ?? width) / width);
  const [path, setPath] = useState<string>();
  const frame = useRef<HTMLIFrameElement>(null);
  const found = useQuery({
    queryKey: ["site", site.site, "preview", siteSpace ?? null, path ?? null, saved],
    staleTime: 0,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
    retry: false,
    placeholderData: (before) => before,
    queryFn: async () => readPage(path ?? (await previewAddress(site, siteSpace === undefined ? {} : { siteSpace }))),
  });

  const paint = useCallback(() => {
    const style = frame.current?.contentDocument?.documentElement.style;
    if (!style) return;
    style.cssText = "";
    style.colorScheme = mode;
    for (const [name, text] of Object.entries(liveProperties(saved, value))) style.setProperty(name, text);
  }, [mode, saved, value]);
  useEffect(paint, [paint]);

  // The same page stays where it was scrolled when it is read again.
  const scrolled = useRef({ address: "", top: 0 });
  const onLoad = () => {
    paint();
    const page = frame.current?.contentDocument;
    const view = page?.defaultView;
    const address = found.data?.address ?? "";
    if (scrolled.current.address === address) view?.scrollTo(0, scrolled.current.top);
    else scrolled.current = { address, top: 0 };
    page?.addEventListener("scroll", () => (scrolled.current.top = view?.scrollY ?? 0));
    page?.addEventListener("submit", (event) => event.preventDefault());
    page?.addEventListener("click", (event) => {
      const link = (event.target as Element | null)?.closest("a");
      const href = link?.getAttribute("href");
      if (!href || href.startsWith("#") || event.defaultPrevented) return;
      event.preventDefault();
      const to = new URL(href, found.data?.address ?? location.href);
      if (to.origin === location.origin && to.pathname.startsWith(`/~preview/${site.site}/`)) setPath(to.pathname);
      else window.open(to, "_blank", "noopener");
    });
  };

  // A page that cannot be read is left for the first one, with a new address.
  const refresh = () => {
    if (found.isError && path !== undefined) setPath(undefined);
    else void found.refetch();
  };

  return (
    <section className="sites-preview" aria-label={sites.preview}>
      <div className="sites-preview-bar">
        <h2>{sites.preview}</h2>
        <span className="grow" />
        <Button isSmall kind="quiet" icon="theme" onPress={() => setMode(mode === "light" ? "dark" : "light")}>
          {sites.modes[mode]}
        </Button>
        <Button isSmall kind="quiet" onPress={() => setIsNarrow(!isNarrow)}>
          {isNarrow ? sites.phone : sites.desktop}
        </Button>
        <IconButton icon="history" label={sites.refresh} onPress={refresh} />
      </div>
      {found.isPending && <Loading />}
      {found.isError && <p className="sites-note">{sites.previewFailed}</p>}
      {found.isSuccess && (
        <div ref={box} className="sites-preview-page" data-mode={mode}>
          <iframe
            ref={frame}
            style={{ inlineSize: isNarrow || scale < 1 ? width : "100%", blockSize: `${100 / scale}%`, scale }}
            title={sites.previewOf}
            srcDoc={found.data.html}
            sandbox="allow-same-origin"
            onLoad={onLoad}
          />
        </div>
      )}
    </section>
  );
}
