import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";

import type { Schemas } from "../api/client";
import { addressOf, changeRequestQuery, pagesQuery, type Place, storedPagesQuery, type TreePage } from "../api/place";
import { queries, spaceQuery } from "../api/queries";
import { useMessages } from "../i18n";
import { Title } from "../shell/title";
import { Button, EmptyState, ErrorState, IconButton, isEscapeIn, Loading, notify } from "../ui";
import { useAskedComment } from "./asked-comment";
import { EmptySpace } from "./empty-space";
import { type Followed, useFollowed, useWayAfter } from "./following";
import { type Live, LiveControl, useLive } from "./live";
import { type NewNavigationPage, NewNavigationPageDialog } from "./new-navigation-page";
import { AbsentPages, type CommentTarget, Comments, MadeNotice, PageEditor } from "./others";
import { usePageActions } from "./page-actions";
import { PageOptions } from "./page-options";
import { PageTree, TreeHead } from "./page-tree";
import { useOthersByPage, usePeopleRead } from "./people-by-page";
import { PeopleInTree } from "./people-there";
import { ancestorsOf, childrenOf, findPage, hasMade, indexOf, specOf, type Spot, type TreeIndex, updated } from "./tree";
import { reasonOf, usePreviewed, useWriting, type Writing } from "./writing";

type Panel = "comments" | "options";

const NO_PAGES: readonly TreePage[] = [];

/** Returns whether the person may change the pages of a place. */
function useCanEdit({ space, changeRequest }: Place): { canEdit: boolean; isClosed: boolean } {
  const found = useQuery(spaceQuery(space));
  const change = useQuery({ ...changeRequestQuery(space, changeRequest ?? ""), enabled: changeRequest !== undefined });
  const status: Schemas["ChangeRequestStatus"] | undefined = change.data?.status;
  const isClosed = status !== undefined && status !== "draft" && status !== "open";
  const isKnown = changeRequest === undefined || change.isSuccess;
  return { canEdit: (found.data?.permissions.editChangeRequests ?? false) && isKnown && !isClosed, isClosed };
}

/** Returns the document of an address: a group leads to its first document. */
function documentAt(index: TreeIndex, asked: string | undefined): TreePage | undefined {
  const found = findPage(index, asked);
  return found?.type === "group" ? childrenOf(found).find(({ type }) => type === "document" || type === "computed") : found;
}

/** Returns the other people on the pages, and following one of them from page to page of a change request. */
function usePeople(place: Place, index: TreeIndex, page: string | undefined, canEdit: boolean) {
  const { space } = useMessages();
  const [, navigate] = useLocation();
  const [announcement, setAnnouncement] = useState("");
  const way = useFollowed(place, page);
  // Another page of the main content is not written live before the person asks for it.
  const isFollowing = way.followed !== undefined && place.changeRequest !== undefined;
  const read = usePeopleRead(place, canEdit, isFollowing);
  const others = useOthersByPage(read.people);
  const onGo = useCallback(
    (next: string, { name }: Followed) => {
      const found = index.get(next)?.page;
      if (found) {
        navigate(addressOf(place, next));
        setAnnouncement(space.followedTo(name, found.title || space.untitled));
      } else void queries.invalidateQueries({ queryKey: pagesQuery(place).queryKey, exact: true });
      return found !== undefined;
    },
    [place, index, navigate, space],
  );
  useWayAfter(way, { page, read: isFollowing ? read : undefined, onGo });
  const following = useMemo(() => ({ user: way.followed?.user, follow: way.follow }), [way.followed, way.follow]);
  return { others, following, announcement };
}

/** The tree of pages with a page beside it. */
export function PageView({ place, page: asked }: { place: Place; page: string | undefined }) {
  const { space } = useMessages();
  // The tree of the main content is shown until that of the change request is there, and the other way round.
  const found = useQuery({ ...pagesQuery(place), placeholderData: keepPreviousData });
  const pages = usePreviewed(place, found.data);
  const stored = useStored(place, pages);
  const index = useMemo(() => indexOf(pages ?? NO_PAGES, stored), [pages, stored]);
  const page = documentAt(index, asked);
  const isMade = page !== undefined && index.get(page.id)?.isMade === true;
  const writing = useWriting(place, page?.id);
  const actions = usePageActions({ place, index, stored, writing, current: page?.id });
  const { canEdit: mayEdit, isClosed } = useCanEdit(place);
  const canEdit = mayEdit && !found.isPlaceholderData;
  const live = useLive(place, page?.type === "document" && !isMade ? page.id : undefined, canEdit);
  const { others, following, announcement } = usePeople(place, index, page?.id, canEdit);
  const [panel, setPanel] = useState<Panel>();
  const [options, setOptions] = useState<string>();
  const [target, setTarget] = useState<CommentTarget>();
  const [shownBlock, setShownBlock] = useState<{ node: string }>();
  const [isTreeOpen, setIsTreeOpen] = useState(false);
  const [made, setMade] = useState<NewNavigationPage>();
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setIsTreeOpen(false);
    setOptions(undefined);
    setTarget(undefined);
    setShownBlock(undefined);
    body.current?.querySelector(".space-page")?.scrollTo(0, 0);
  }, [page?.id]);
  const { comment } = useAskedComment();
  useEffect(() => {
    if (comment !== undefined) setPanel("comments");
  }, [comment]);
  const openTree = () => {
    setIsTreeOpen(true);
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(".space-side")?.focus());
  };
  const closeTree = () => {
    setIsTreeOpen(false);
    body.current?.querySelector<HTMLElement>(".space-page-bar .space-tree-button button")?.focus();
  };
  const showOptions = useCallback((one: TreePage) => {
    setOptions(one.id);
    setPanel("options");
    setIsTreeOpen(false);
  }, []);
  const newLink = useCallback((spot: Spot) => setMade({ type: "link", spot }), []);
  const optionsPage = (options === undefined ? undefined : index.get(options)?.page) ?? page;
  // Pages that are made have neither options nor comments.
  const hasPanel = panel !== undefined && optionsPage !== undefined && optionsPage.type !== "computed" && index.get(optionsPage.id)?.isMade !== true;

  if (found.isPending) return <Loading />;
  if (found.isError && !pages) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!pages || pages.length === 0) return <EmptySpace place={place} canEdit={canEdit} onNew={() => void actions.insert({ into: null, at: 0 })} />;
  return (
    <div className="space-body" data-panel={hasPanel ? panel : undefined} ref={body}>
      {isTreeOpen && <div className="space-shade" onClick={closeTree} />}
      <aside
        className="space-side"
        tabIndex={-1}
        data-open={isTreeOpen || undefined}
        aria-label={space.pages}
        onKeyDownCapture={(event) => {
          if (isTreeOpen && isEscapeIn(event)) closeTree();
        }}
      >
        <TreeHead pages={pages} actions={actions} canEdit={canEdit} onNew={setMade} onClose={closeTree} />
        <PeopleInTree others={others} index={index}>
          <PageTree
            space={place.space}
            pages={pages}
            index={index}
            actions={actions}
            current={page?.id}
            canEdit={canEdit}
            onNewLink={newLink}
            onOptions={showOptions}
          />
        </PeopleInTree>
      </aside>
      <div className="space-page">
        <p className="visually-hidden" role="status">
          {announcement}
        </p>
        <PageBar
          place={place}
          index={index}
          page={page}
          isMade={isMade}
          panel={panel}
          onPanel={(next) => {
            setOptions(undefined);
            setPanel(panel === next ? undefined : next);
          }}
          onTree={openTree}
          live={live}
          {...(canEdit && place.changeRequest === undefined && !isMade && page?.type !== "computed" && { writing })}
        />
        {isClosed && <p className="space-closed">{space.locked}</p>}
        {page && page.type === "document" ? (
          <Suspense fallback={<Loading />}>
            <Title>{page.title || space.untitled}</Title>
            {isMade && <MadeNotice organization={place.organization} slug={specOf(page)} />}
            <PageEditor
              // What is written live goes on in no change request, and the other way round.
              key={live.isOn ? `live-${page.id}` : "computedSeed" in page ? `${page.id} ${page.computedSeed}` : page.id}
              place={live.place}
              pageId={page.id}
              canEdit={canEdit && !isMade}
              begin={writing.begin}
              saver={live.saver}
              shownBlock={shownBlock}
              following={following}
              onComment={(next) => {
                setTarget(next);
                setPanel("comments");
              }}
              onTitle={(title) => {
                queries.setQueryData(pagesQuery(place).queryKey, (known) => known && updated(known, page.id, { title }));
              }}
            />
          </Suspense>
        ) : page?.type === "computed" ? (
          <Suspense fallback={<Loading />}>
            <AbsentPages place={place} page={page} />
          </Suspense>
        ) : (
          <MissingPage place={place} />
        )}
      </div>
      {made && <NewNavigationPageDialog made={{ ...made, spot: actions.spotIn(made.spot) }} writing={writing} onClose={() => setMade(undefined)} />}
      {hasPanel && panel && optionsPage && (
        <SidePanel title={panel === "comments" ? space.comments : space.options} onClose={() => setPanel(undefined)}>
          {panel === "comments" ? (
            <Comments
              place={place}
              page={page?.id ?? optionsPage.id}
              target={target}
              onTargetDone={() => setTarget(undefined)}
              onShow={({ node }) => node !== undefined && setShownBlock({ node })}
            />
          ) : (
            <PageOptions key={optionsPage.id} place={place} page={optionsPage} canEdit={canEdit} writing={writing} />
          )}
        </SidePanel>
      )}
    </div>
  );
}

/** Returns the pages that no source makes, if sources make some of them. */
function useStored(place: Place, pages: readonly TreePage[] | undefined): TreeIndex | undefined {
  const isNeeded = useMemo(() => pages !== undefined && hasMade(pages), [pages]);
  const found = useQuery({ ...storedPagesQuery(place), enabled: isNeeded }).data;
  return useMemo(() => (found && isNeeded ? indexOf(found) : undefined), [found, isNeeded]);
}

interface PageBarProps {
  place: Place;
  index: TreeIndex;
  page: TreePage | undefined;
  /** True if a source makes the page. */
  isMade: boolean;
  panel: Panel | undefined;
  onPanel: (panel: Panel) => void;
  onTree: () => void;
  live: Live;
  /** Present if a change request can be started. */
  writing?: Writing;
}

/** The path of a page, and the buttons for what belongs to it. */
function PageBar({ place, index, page, isMade, panel, onPanel, onTree, live, writing }: PageBarProps) {
  const { space, shell } = useMessages();
  const [, navigate] = useLocation();
  const [isStarting, setIsStarting] = useState(false);
  const above = page ? ancestorsOf(index, page.id) : [];
  const edit = async () => {
    setIsStarting(true);
    try {
      await writing?.begin();
    } catch (error) {
      notify(space.refused(reasonOf(error)), { tone: "danger" });
    } finally {
      setIsStarting(false);
    }
  };
  return (
    <div className="space-page-bar">
      <span className="space-tree-button">
        <IconButton icon="menu" label={space.openPages} onPress={onTree} />
      </span>
      <nav className="space-path" aria-label={space.path}>
        {above.map((one) => (
          <span key={one.id}>{one.type === "document" ? <Link href={addressOf(place, one.id)}>{one.title || space.untitled}</Link> : one.title}</span>
        ))}
      </nav>
      <span className="grow" />
      {page && !isMade && page.type !== "computed" && (
        <>
          <IconButton icon="history" label={space.pageHistory} onPress={() => navigate(`${addressOf({ ...place, changeRequest: undefined }, "~/history")}?page=${page.id}`)} />
          <IconButton icon="comment" label={space.comments} aria-expanded={panel === "comments"} onPress={() => onPanel("comments")} />
          <IconButton icon="settings" label={space.options} aria-expanded={panel === "options"} onPress={() => onPanel("options")} />
        </>
      )}
      <LiveControl live={live} />
      {writing && !live.isOn && (
        <Button icon="edit" isSmall isPending={isStarting} onPress={() => void edit()}>
          {shell.edit}
        </Button>
      )}
    </div>
  );
}

/** Gives the focus back to the element that had it before, when the part that uses it closes. */
function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const hasFocus = document.activeElement !== null && document.activeElement !== document.body;
      if (!hasFocus && before instanceof HTMLElement) before.focus();
    };
  }, []);
}

function SidePanel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { space } = useMessages();
  useReturnFocus();
  return (
    <aside
      className="space-panel"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onClose();
      }}
    >
      <header className="space-panel-head">
        <h2>{title}</h2>
        <IconButton icon="close" label={space.closePanel} onPress={onClose} />
      </header>
      <div className="space-panel-body">
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </div>
    </aside>
  );
}

function MissingPage({ place }: { place: Place }) {
  const { space } = useMessages();
  return (
    <EmptyState
      title={space.missing}
      action={
        <Link href={addressOf(place)} className="button">
          {space.firstPage}
        </Link>
      }
    >
      {space.missingHint}
    </EmptyState>
  );
}
