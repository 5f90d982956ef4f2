import { type Key, ToggleButton, ToggleButtonGroup } from "react-aria-components";

interface Props<K extends string> {
  label: string;
  options: readonly { id: K; label: string }[];
  value: K;
  onChange: (value: K) => void;
}

/** A choice of one of a few options, all of which are shown. */
export function Choice<K extends string>({ label, options, value, onChange }: Props<K>) {
  return (
    <ToggleButtonGroup
      className="choice"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys: Set<Key>) => {
        const [chosen] = keys;
        if (chosen !== undefined) onChange(chosen as K);
      }}
    >
      {options.map(({ id, label }) => (
        <ToggleButton key={id} id={id} className="choice-option">
          {label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
