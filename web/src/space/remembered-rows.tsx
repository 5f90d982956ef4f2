import { type ComponentProps, type ContextType, type ReactNode, use, useMemo } from "react";
import { CollectionRendererContext, type Key, TreeStateContext } from "react-aria-components";

type Rows = NonNullable<ContextType<typeof TreeStateContext>>["collection"];
type Row = NonNullable<ReturnType<Rows["getItem"]>>;
type RootProps = ComponentProps<ContextType<typeof CollectionRendererContext>["CollectionRoot"]>;

/**
 * Makes a collection keep the lists of its rows. Each row of a tree counts those of its level, for
 * which the collection would find all of them anew. It does not change once it is shown.
 */
function remember(rows: Rows): void {
  if (Object.hasOwn(rows, Symbol.iterator)) return;
  const [all, below] = [rows[Symbol.iterator].bind(rows), rows.getChildren?.bind(rows)];
  const lists = new Map<Key, Row[]>();
  let list: Row[] | undefined;
  Object.defineProperty(rows, Symbol.iterator, { value: () => (list ??= [...{ [Symbol.iterator]: all }])[Symbol.iterator]() });
  Object.defineProperty(rows, "getChildren", {
    value: (key: Key) => {
      const found = lists.get(key) ?? [...(below?.(key) ?? [])];
      lists.set(key, found);
      return found;
    },
  });
}

/** Lets a long tree within it show its rows quickly. */
export function RememberedRows({ children }: { children: ReactNode }) {
  const renderer = use(CollectionRendererContext);
  const remembering = useMemo(() => {
    const Root = renderer.CollectionRoot;
    const CollectionRoot = (props: RootProps) => {
      const state = use(TreeStateContext);
      if (state) remember(state.collection);
      return <Root {...props} />;
    };
    return { ...renderer, CollectionRoot };
  }, [renderer]);
  return <CollectionRendererContext value={remembering}>{children}</CollectionRendererContext>;
}
