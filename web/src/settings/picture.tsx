import { useEffect, useState } from "react";

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

/** The picture at an address, or `undefined` while it cannot be shown. */
function useLoaded(address: string): string | undefined {
  const [loaded, setLoaded] = useState<string>();
  useEffect(() => {
    setLoaded(undefined);
    if (!/^https?:\/\/./i.test(address)) return;
    const image = new Image();
    image.onload = () => setLoaded(address);
    image.src = address;
    return () => {
      image.onload = null;
    };
  }, [address]);
  return loaded;
}

/** A field for the address of a picture, with the picture beside it. */
export function Picture({ label, description, value, onChange, name, error }: Props) {
  const loaded = useLoaded(value.trim());
  return (
    <div className="settings-picture">
      <Avatar name={name} url={loaded} />
      <Field label={label} description={description} type="url" inputMode="url" value={value} onChange={onChange} error={error} />
    </div>
  );
}
