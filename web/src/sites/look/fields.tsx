import type { ReactNode } from "react";

import { useMessages } from "../../i18n";
import { Select, Switch } from "../../ui";
import { ImageField } from "./image-field";

/** A part of the look that can be folded. */
export function Fold({ title, isOpen, children }: { title: string; isOpen?: boolean; children: ReactNode }) {
  return (
    <details className="sites-fold" open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}

interface ChoiceProps<K extends string> {
  label: string;
  names: Record<K, string>;
  value: K;
  onChange: (value: K) => void;
  description?: string;
}

/** A choice of one of several named values. */
export function Choice<K extends string>({ label, names, value, onChange, description }: ChoiceProps<K>) {
  const options = (Object.keys(names) as K[]).map((id) => ({ id, label: names[id] }));
  return <Select label={label} options={options} value={value} onChange={onChange} {...(description !== undefined && { description })} />;
}

/** A switch with a sentence about it. */
export function Toggle({ label, hint, value, onChange }: { label: string; hint?: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <div>
      <Switch isSelected={value} onChange={onChange}>
        {label}
      </Switch>
      {hint !== undefined && <p className="hint-text">{hint}</p>}
    </div>
  );
}

interface Images {
  light: string;
  dark: string;
}

/** Fields for the addresses of an image on light and on dark pages; the dark one follows the light one until it is set. */
export function ImageFields({ label, value, onChange }: { label: string; value: Images | undefined; onChange: (value: Images | undefined) => void }) {
  const { sites } = useMessages();
  const { light = "", dark = "" } = value ?? {};
  const isSame = dark === light;
  return (
    <>
      <ImageField
        label={label}
        value={light}
        description={sites.imageHint}
        onChange={(text) => onChange(text === "" ? undefined : { light: text, dark: isSame ? text : dark })}
      />
      {/^https?:\/\/./.test(light) && (
        <>
          <ImageField
            label={sites.onDark(label)}
            value={isSame ? "" : dark}
            placeholder={sites.sameImage}
            onChange={(text) => onChange({ light, dark: text === "" ? light : text })}
          />
          <div className="row">
            <img className="sites-image" src={light} alt={sites.imageOnLight(label)} />
            <img className="sites-image sites-image-dark" src={dark || light} alt={sites.imageOnDark(label)} />
          </div>
        </>
      )}
    </>
  );
}
