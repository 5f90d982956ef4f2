import { useMessages } from "../../i18n";
import { EmojiPicker } from "../../space/emoji-picker";
import { Select, TextField } from "../../ui";
import { Fold, ImageFields } from "./fields";
import { ImageField } from "./image-field";
import { type Customization, useLook } from "./model";

type Favicon = Customization["favicon"];
type FaviconKind = "standard" | "emoji" | "image";
type Images = { light: string; dark: string };

/** Returns the emoji of a favicon. */
function emojiOf(favicon: Favicon): string | undefined {
  return "emoji" in favicon && typeof favicon.emoji === "string" ? favicon.emoji : undefined;
}

/** Returns the images of a favicon. */
function imagesOf(favicon: Favicon): Images | undefined {
  return "icon" in favicon ? (favicon.icon as Images) : undefined;
}

/** The title, the logo and the favicon. */
export function Brand() {
  const { sites } = useMessages();
  const { value, set } = useLook();
  const { header, footer, socialPreview } = value;
  return (
    <Fold title={sites.brand} isOpen>
      <TextField label={sites.lookTitle} value={value.title ?? ""} onChange={(title) => set({ title: title === "" ? undefined : title })} />
      <ImageFields label={sites.logo} value={header.logo} onChange={(logo) => set({ header: { ...header, logo } })} />
      <FaviconFields favicon={value.favicon} onChange={(favicon) => set({ favicon })} />
      <ImageFields label={sites.footerLogo} value={footer.logo} onChange={(logo) => set({ footer: { ...footer, logo } })} />
      <ImageField
        label={sites.socialPreview}
        value={socialPreview.url ?? ""}
        description={sites.socialPreviewHint}
        onChange={(url) => set({ socialPreview: url === "" ? {} : { url } })}
      />
    </Fold>
  );
}

function FaviconFields({ favicon, onChange }: { favicon: Favicon; onChange: (favicon: Favicon) => void }) {
  const { sites } = useMessages();
  const [emoji, images] = [emojiOf(favicon), imagesOf(favicon)];
  const kind: FaviconKind = emoji !== undefined ? "emoji" : images ? "image" : "standard";
  const options = (Object.keys(sites.faviconKinds) as FaviconKind[]).map((id) => ({ id, label: sites.faviconKinds[id] }));
  const choose = (chosen: FaviconKind) => {
    if (chosen === "standard") onChange({});
    if (chosen === "emoji") onChange({ emoji: "1f4d8" });
    if (chosen === "image") onChange({ icon: { light: "https://", dark: "https://" } });
  };
  return (
    <>
      <Select label={sites.favicon} options={options} value={kind} onChange={choose} />
      {emoji !== undefined && <EmojiPicker emoji={emoji} isDisabled={false} onChange={(chosen) => onChange(chosen ? { emoji: chosen } : {})} />}
      {images && <ImageFields label={sites.faviconImage} value={images} onChange={(icon) => onChange(icon ? { icon } : {})} />}
    </>
  );
}
