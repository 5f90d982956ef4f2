import type { Option } from "../../ui";
import type { FieldErrors } from "../refusal";
import type { Values } from "./values";

/** Parameters of a part of the form of a synchronisation. */
export interface FieldsProps {
  values: Values;
  set: (change: Partial<Values>) => void;
  errors: FieldErrors;
}

/** Returns the options of a choice from their names, with descriptions. */
export function optionsOf<const K extends string>(keys: readonly K[], labels: Record<NoInfer<K>, string>, hints?: Record<NoInfer<K>, string>): Option<K>[] {
  return keys.map((id) => ({ id, label: labels[id], ...(hints && { description: hints[id] }) }));
}
