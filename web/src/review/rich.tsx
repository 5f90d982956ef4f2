import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, use } from "react";

import type { JsonLeaf, JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { memberQuery } from "../people/queries";
import { emojiText } from "../space/emoji-text";
import { Icon } from "../ui";
import { cellText, tableOf, textOf } from "./difference";

/** Returns the address of a file, or undefined if it is not known. */
export type FileAddress = (file: string) => string | undefined;

interface Surroundings {
  organization: string;
  fileAddress: FileAddress;
}

/** The organization and the files of documents that are shown. */
export const RichContext = createContext<Surroundings>({ organization: "", fileAddress: () => undefined });

/** Shows the blocks of a document, for reading only. */
export function Rich({ nodes }: { nodes: readonly JsonNode[] }) {
  return nodes.map((node, at) => <RichBlock key={node.key ?? at} node={node} />);
}

const LISTS: Record<string, "ul" | "ol"> = { "list-unordered": "ul", "list-ordered": "ol", "list-tasks": "ul" };

function RichBlock({ node }: { node: JsonNode }) {
  const { review } = useMessages();
  const { type = "", nodes = [], data = {} } = node;
  if (LISTS[type]) return <RichList node={node} />;
  if (type.startsWith("heading-")) {
    return (
      <p className="review-heading" dir="auto">
        <Inlines nodes={nodes} />
      </p>
    );
  }
  switch (type) {
    case "paragraph":
      return (
        <p dir="auto">
          <Inlines nodes={nodes} />
        </p>
      );
    case "code":
      return (
        <pre className="review-code">
          <code>{nodes.map(textOf).join("\n")}</code>
        </pre>
      );
    case "blockquote":
      return (
        <blockquote className="review-quote">
          <Rich nodes={nodes} />
        </blockquote>
      );
    case "divider":
      return <hr className="review-rule" />;
    case "table":
      return <RichTable node={node} />;
    case "images":
      return nodes.map((image, at) => <Picture key={image.key ?? at} reference={image.data?.["ref"]} alt={String(image.data?.["alt"] ?? "")} />);
    case "hint":
      return (
        <div className="review-box" data-style={String(data["style"] ?? "info")}>
          <Rich nodes={nodes} />
        </div>
      );
    default:
      return <p>{textOf(node) || (review.blockTypes[type] ?? type)}</p>;
  }
}

function RichList({ node: { type = "", nodes = [] } }: { node: JsonNode }) {
  const List = LISTS[type] ?? "ul";
  const hasTasks = type === "list-tasks";
  return (
    <List className="review-rich-list" data-tasks={hasTasks || undefined}>
      {nodes.map((item, at) => (
        <li key={item.key ?? at}>
          {hasTasks && <TaskBox isChecked={item.data?.["checked"] === true} />}
          <div className="review-item">
            <Rich nodes={item.nodes ?? []} />
          </div>
        </li>
      ))}
    </List>
  );
}

/** The box of a task. */
export function TaskBox({ isChecked }: { isChecked: boolean }) {
  const { review } = useMessages();
  return (
    <span className="review-task">
      {isChecked && <Icon name="check" />}
      <span className="visually-hidden">{isChecked ? review.done : review.notDone}</span>
    </span>
  );
}

function RichTable({ node }: { node: JsonNode }) {
  const { review } = useMessages();
  const { columns, rows } = tableOf(node);
  return (
    <div className="table-scroll" role="group" aria-label={review.blockTypes["table"]} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(({ id, title }) => (
              <th key={id}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ id }) => (
                <td key={id}>{cellText(node, row.cells[id])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function isWeb(address: string | undefined): boolean {
  return /^https?:\/\//.test(address ?? "");
}

/** Shows the picture of a reference; its name if the picture is not known. */
export function Picture({ reference, alt }: { reference: unknown; alt: string }) {
  const { fileAddress } = use(RichContext);
  const { kind, file, url } = (reference ?? {}) as { kind?: string; file?: string; url?: string };
  const address = kind === "file" && file !== undefined ? fileAddress(file) : isWeb(url) ? url : undefined;
  if (address === undefined) return <span>{alt || file}</span>;
  return <img className="review-picture" src={address} alt={alt} loading="lazy" />;
}

function Inlines({ nodes }: { nodes: readonly JsonNode[] }) {
  return nodes.map((node, at) => <InlineNode key={node.key ?? at} node={node} />);
}

function InlineNode({ node }: { node: JsonNode }): ReactNode {
  const { organization } = use(RichContext);
  if (node.leaves) return node.leaves.map((leaf, at) => <Leaf key={at} leaf={leaf} />);
  const reference = (node.data?.["ref"] ?? {}) as { kind?: string; url?: string; user?: string };
  if (node.type === "mention" && reference.user !== undefined) return <PersonName organization={organization} user={reference.user} />;
  if (node.type === "emoji") return emojiText(String(node.data?.["code"] ?? ""));
  if (node.type === "link" && reference.kind === "url" && isWeb(reference.url)) {
    return (
      <a href={reference.url} target="_blank" rel="noreferrer">
        <Inlines nodes={node.nodes ?? []} />
      </a>
    );
  }
  return node.nodes ? <Inlines nodes={node.nodes} /> : textOf(node);
}

function PersonName({ organization, user }: { organization: string; user: string }) {
  const found = useQuery({ ...memberQuery(organization, user), staleTime: 300_000, retry: false });
  return <span className="review-mention">@{found.data?.user.displayName ?? (found.isPending ? "…" : user)}</span>;
}

const TAGS: Record<string, "strong" | "em" | "code" | "s" | "sup" | "sub"> = {
  bold: "strong",
  italic: "em",
  code: "code",
  strikethrough: "s",
  superscript: "sup",
  subscript: "sub",
};

function Leaf({ leaf }: { leaf: JsonLeaf }) {
  return leaf.marks.reduce<ReactNode>((content, { type }) => {
    const Tag = TAGS[type];
    return Tag ? <Tag>{content}</Tag> : content;
  }, leaf.text);
}
