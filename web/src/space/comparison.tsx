import { useQuery } from "@tanstack/react-query";

import { client, data, type Schemas } from "../api/client";
import { useMessages } from "../i18n";
import { Badge, ErrorState, Loading } from "../ui";

type Block = Schemas["BlockDifference"];
type Run = Schemas["TextDifference"];
type Attribute = Schemas["AttributeDifference"];

const TONES = { inserted: "success", deleted: "danger", edited: "info", moved: "purple", "moved-away": "purple" } as const;

/** The differences of a page between two revisions, block by block and word by word. */
export function Comparison({ spaceId, page, from, to }: { spaceId: string; page: string; from: string; to: string }) {
  const found = useQuery({
    queryKey: ["space", spaceId, "compare", page, from, to],
    staleTime: Infinity,
    queryFn: ({ signal }) => {
      const params = { path: { spaceId, pageId: page }, query: { from, to, format: "json" as const } };
      return data(client.GET("/bindery/spaces/{spaceId}/compare/pages/{pageId}", { params, signal }));
    },
  });
  if (found.isPending) return <Loading />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  return <DocumentBlocks difference={found.data as Schemas["ContentDifference"]} />;
}

/** The changed attributes and blocks of a page. */
export function DocumentBlocks({ difference }: { difference: Schemas["ContentDifference"] }) {
  const { space } = useMessages();
  const blocks = difference.document?.blocks ?? [];
  return (
    <div className="space-comparison">
      <Attributes attributes={difference.attributes} />
      {blocks.length === 0 && difference.attributes.length === 0 && <p className="muted">{space.sameText}</p>}
      {blocks.map((block, at) => (
        <BlockLine key={at} block={block} />
      ))}
    </div>
  );
}

function Attributes({ attributes }: { attributes: Attribute[] | undefined }) {
  const { space } = useMessages();
  if (!attributes || attributes.length === 0) return null;
  const shown = (value: unknown) =>
    value === null || value === undefined || value === "" ? space.nothing : typeof value === "string" ? value : JSON.stringify(value);
  return (
    <ul className="space-attributes">
      {attributes.map(({ name, before, after }) => (
        <li key={name}>{space.attributeChange(name, shown(before), shown(after))}</li>
      ))}
    </ul>
  );
}

function BlockLine({ block }: { block: Block }) {
  const { space } = useMessages();
  return (
    <div className="space-block" data-change={block.change}>
      <p className="space-block-head">
        <Badge tone={TONES[block.change]}>{space.blockChanges[block.change]}</Badge> <span className="muted">{block.type}</span>
      </p>
      <Attributes attributes={block.attributes} />
      {block.text && (
        <p>
          <Runs runs={block.text} />
        </p>
      )}
      {block.parts?.map((part, at) => (
        <BlockLine key={at} block={part} />
      ))}
    </div>
  );
}

function Runs({ runs }: { runs: Run[] }) {
  return runs.map((run, at) => {
    const content = run.runs ? <Runs runs={run.runs} /> : run.text;
    if (run.change === "inserted") return <ins key={at}>{content}</ins>;
    if (run.change === "deleted") return <del key={at}>{content}</del>;
    return <span key={at}>{content}</span>;
  });
}
