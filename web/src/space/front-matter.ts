import type { Schemas } from "../api/client";

/** The layout and the cover of a page. The API takes them in the front matter of its text alone. */
export interface Looks {
  layout: Schemas["RevisionPageLayoutOptions"];
  cover: Schemas["RevisionPageDocumentCover"] | undefined;
}

type CoverRef = Schemas["RevisionPageDocumentCover"]["ref"];

function addressOfCover(ref: CoverRef): string | undefined {
  if (!ref) return undefined;
  return ref.kind === "file" ? `/files/${ref.file}` : ref.url;
}

/**
 * Returns front matter with the layout, the cover and the variables of a page. The values are
 * written as JSON, which YAML contains, so that no text needs quoting of its own.
 */
export function frontMatterOf({ layout, cover }: Looks, variables: Schemas["Variables"] | undefined): string {
  const visible = (isVisible: boolean) => ({ visible: isVisible });
  const settings: Record<string, unknown> = {
    layout: {
      width: layout.width,
      cover: { visible: layout.cover, size: layout.coverSize },
      title: visible(layout.title),
      description: visible(layout.description),
      tableOfContents: visible(layout.tableOfContents),
      outline: visible(layout.outline),
      pagination: visible(layout.pagination),
      metadata: visible(layout.metadata),
    },
  };
  const light = addressOfCover(cover?.ref);
  if (cover && light !== undefined) {
    const dark = addressOfCover(cover.refDark);
    settings["cover"] = dark === undefined ? light : { light, dark };
    settings["coverY"] = cover.yPos;
    if (cover.height) settings["coverHeight"] = cover.height;
  }
  if (variables && Object.keys(variables).length > 0) settings["vars"] = variables;
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n`;
}
