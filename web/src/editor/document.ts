/** The document model of the API, as far as the editor reads it. Other fields are kept as they are. */
export interface JsonNode {
  object: string;
  type?: string;
  key?: string;
  nodes?: JsonNode[];
  fragments?: JsonFragment[];
  data?: Record<string, unknown>;
  meta?: Record<string, unknown>;
  isVoid?: boolean;
  leaves?: JsonLeaf[];
}

/** A part of a block that is not one of its children, such as a caption. */
export interface JsonFragment extends JsonNode {
  fragment?: string;
}

/** A run of text with the same marks. */
export interface JsonLeaf {
  object: "leaf";
  text: string;
  marks: JsonMark[];
  /** The source of the run, such as an HTML tag that is kept as it is. */
  markup?: string;
}

/** A mark of text. */
export interface JsonMark {
  object: "mark";
  type: string;
  data?: Record<string, unknown>;
}

/** A whole document. */
export interface JsonDocument {
  object: "document";
  data: Record<string, unknown>;
  nodes: JsonNode[];
}
