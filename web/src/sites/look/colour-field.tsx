import { useId, useState } from "react";

import { useMessages } from "../../i18n";
import { colourOf, contrast, READABLE, SURFACES } from "./colours";
import type { ThemedColour } from "./model";

interface Props {
  label: string;
  value: ThemedColour;
  onChange: (value: ThemedColour) => void;
  /** True if texts have this colour, so that low contrasts are told. */
  isText?: boolean;
}

/** Fields for a colour on light and on dark pages. */
export function ThemedColourField({ label, value, onChange, isText }: Props) {
  const { sites } = useMessages();
  return (
    <fieldset className="sites-colours">
      <legend>{label}</legend>
      {(["light", "dark"] as const).map((mode) => (
        <ColourField
          key={mode}
          label={sites.colourOn(label, sites.modes[mode])}
          shown={sites.modes[mode]}
          value={value[mode]}
          {...(isText && { surface: SURFACES[mode] })}
          onChange={(colour) => onChange({ ...value, [mode]: colour })}
        />
      ))}
    </fieldset>
  );
}

interface FieldProps {
  label: string;
  shown: string;
  value: string;
  surface?: string;
  onChange: (colour: string) => void;
}

function ColourField({ label, shown, value, surface, onChange }: FieldProps) {
  const { sites } = useMessages();
  // Only a text that is not the present colour is kept, such as one that is being typed.
  const [typed, setText] = useState<string>();
  const text = typed ?? value;
  const hint = useId();
  const colour = colourOf(text);
  const ratio = colour && surface !== undefined ? contrast(colour, surface) : undefined;
  const isLow = ratio !== undefined && ratio < READABLE;
  const change = (next: string) => {
    setText(next);
    const read = colourOf(next);
    if (read && read !== colourOf(value)) onChange(read);
  };
  return (
    <div className="sites-colour">
      <input
        type="color"
        aria-label={sites.pickColour(label)}
        value={colour ?? colourOf(value) ?? "#000000"}
        onChange={(event) => change(event.target.value)}
        onBlur={() => setText(undefined)}
      />
      <label className="sites-colour-text">
        <span>{shown}</span>
        <input
          className="input"
          aria-label={label}
          aria-invalid={colour === undefined}
          aria-describedby={isLow ? hint : undefined}
          value={text}
          maxLength={7}
          spellCheck={false}
          onChange={(event) => change(event.target.value)}
          onBlur={() => setText(undefined)}
        />
      </label>
      {isLow && (
        <span className="sites-contrast" id={hint}>
          {sites.lowContrast(ratio)}
        </span>
      )}
    </div>
  );
}
