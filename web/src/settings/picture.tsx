import { Field } from "../sites/parts";
import { Avatar } from "../ui";

interface Props {
  label: string;
  description: string;
  value: string;
  onChange: (value: string) => void;
  /** The name whose letters stand for a missing picture. */
  name: string;
  error: string | undefined;
}

/** A field for the address of a picture, with the picture beside it. */
export function Picture({ label, description, value, onChange, name, error }: Props) {
  const address = /^https?:\/\/./i.test(value.trim()) ? value.trim() : undefined;
  return (
    <div className="settings-picture">
      <Avatar name={name} url={address} />
      <Field label={label} description={description} type="url" inputMode="url" value={value} onChange={onChange} error={error} />
    </div>
  );
}
