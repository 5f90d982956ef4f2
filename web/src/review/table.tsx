import type { JsonNode } from "../editor/document";
import { useMessages } from "../i18n";
import { BlockBody, BlockView } from "./blocks";
import { type Block, cellText, isOn, tableOf } from "./difference";
import { Attributes } from "./runs";
import type { TwoNodes } from "./versions";

/** The changed rows of a table with all of their cells. */
export function TableBody({ block, side, before, after }: TwoNodes) {
  const { review } = useMessages();
  const parts = block.parts ?? [];
  const rows = parts.filter(({ type }) => type === "table-row");
  const table = after ?? before;
  const others = table ? parts.filter(({ type }) => type !== "table-row") : parts;
  const columns = table ? tableOf(table).columns : [];
  return (
    <>
      <Attributes attributes={block.attributes} side={side} />
      {others.map((part, at) => (
        <BlockView key={at} block={part} side={side} isInner />
      ))}
      {table && rows.length > 0 && (
        <div className="table-scroll" role="group" aria-label={review.blockTypes["table"]} tabIndex={0}>
          <table className="table review-table">
            <thead>
              <tr>
                {columns.map(({ id, title }) => (
                  <th key={id}>{title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <TableRow key={at} block={row} side={side} before={before} after={after} columns={columns.map(({ id }) => id)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Returns the cells of the row to which changed cells belong. */
function cellsOf(table: JsonNode | undefined, cells: readonly Block[], version: "before" | "after"): Record<string, unknown> | undefined {
  const keys = new Set(cells.map((cell) => cell[version]));
  return table && tableOf(table).rows.find((row) => Object.values(row.cells).some((value) => typeof value === "string" && keys.has(value)))?.cells;
}

function TableRow({ block: row, side, before, after, columns }: TwoNodes & { columns: readonly string[] }) {
  if (!isOn(side, row.change)) return null;
  const parts = row.parts ?? [];
  const now = cellsOf(after, parts, "after");
  const then = cellsOf(before, parts, "before");
  const table = now ? after : before;
  const isKnown = table !== undefined && (now ?? then) !== undefined;
  return (
    <tr data-change={row.change}>
      {!isKnown
        ? parts.map((cell, at) => (
            <td key={at}>
              <BlockBody block={cell} side={side} />
            </td>
          ))
        : columns.map((column) => {
            const keys = [now?.[column], then?.[column]];
            const cell = parts.find(({ before, after }) => keys.includes(after ?? before));
            return <td key={column}>{cell ? <BlockBody block={cell} side={side} /> : cellText(table, (now ?? then)?.[column])}</td>;
          })}
    </tr>
  );
}
