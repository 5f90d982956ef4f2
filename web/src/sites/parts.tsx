import { type ReactNode, useId } from "react";

import { TextField, type TextFieldProps } from "../ui";

/** A part of a view with a heading, a sentence about it and its actions. */
export function Part({ title, hint, actions, children }: { title: string; hint?: ReactNode; actions?: ReactNode; children?: ReactNode }) {
  const id = useId();
  return (
    <section className="sites-part" aria-labelledby={id}>
      <div className="sites-part-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {hint !== undefined && <p className="muted sites-lead">{hint}</p>}
      {children}
    </section>
  );
}

/** A form with its fields below each other. */
export function Form({ children, onSubmit }: { children: ReactNode; onSubmit: () => void }) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** A field for text. A reason why the server refused its value does not keep the form from being sent again. */
export function Field(props: TextFieldProps) {
  return <TextField {...props} validationBehavior={props.error === undefined ? "native" : "aria"} />;
}
