import { useQuery } from "@tanstack/react-query";

import { useMessages } from "../../i18n";
import { Select } from "../../ui";
import { fontsQuery } from "../queries";
import { ThemedColourField } from "./colour-field";
import { Choice, Fold, Toggle } from "./fields";
import { CustomFonts } from "./fonts";
import { type Styling, useLook } from "./model";

/** The tint that leaves the greys as they are. */
const NO_TINT = { light: "#787878", dark: "#787878" };

/** Returns the styling and a function that changes some of it. */
function useStyling() {
  const { value, set } = useLook();
  return { styling: value.styling, style: (changes: Partial<Styling>) => set({ styling: { ...value.styling, ...changes } }) };
}

/** The theme and the colours. */
export function Colours() {
  const { sites } = useMessages();
  const { value, set } = useLook();
  const { styling, style } = useStyling();
  return (
    <Fold title={sites.colours} isOpen>
      <Choice label={sites.theme} names={sites.themes} value={styling.theme} onChange={(theme) => style({ theme })} />
      <ThemedColourField label={sites.primaryColour} value={styling.primaryColor} isText onChange={(primaryColor) => style({ primaryColor })} />
      <ThemedColourField label={sites.tint} value={styling.tint?.color ?? NO_TINT} onChange={(color) => style({ tint: { color } })} />
      <Choice
        label={sites.defaultMode}
        names={sites.defaultModes}
        value={value.themes.default}
        onChange={(mode) => set({ themes: { ...value.themes, default: mode } })}
        description={sites.defaultModeHint}
      />
      <Toggle label={sites.modeSwitch} value={value.themes.toggeable} onChange={(toggeable) => set({ themes: { ...value.themes, toggeable } })} />
      <details className="sites-more">
        <summary>{sites.statusColours}</summary>
        <div className="stack">
          <ThemedColourField label={sites.infoColour} value={styling.infoColor} onChange={(infoColor) => style({ infoColor })} />
          <ThemedColourField label={sites.successColour} value={styling.successColor} onChange={(successColor) => style({ successColor })} />
          <ThemedColourField label={sites.warningColour} value={styling.warningColor} onChange={(warningColor) => style({ warningColor })} />
          <ThemedColourField label={sites.dangerColour} value={styling.dangerColor} onChange={(dangerColor) => style({ dangerColor })} />
        </div>
      </details>
    </Fold>
  );
}

/** The shapes of corners, the navigation, the icons and the search field. */
export function Shapes() {
  const { sites } = useMessages();
  const { styling, style } = useStyling();
  const { sidebar } = styling;
  return (
    <Fold title={sites.shapes}>
      <Choice label={sites.corners} names={sites.cornerNames} value={styling.corners} onChange={(corners) => style({ corners })} />
      <Choice label={sites.depth} names={sites.depthNames} value={styling.depth} onChange={(depth) => style({ depth })} />
      <Choice label={sites.linkStyle} names={sites.linkStyles} value={styling.links} onChange={(links) => style({ links })} />
      <Choice label={sites.iconStyle} names={sites.iconStyles} value={styling.icons} onChange={(icons) => style({ icons })} />
      <Choice
        label={sites.sidebarBackground}
        names={sites.sidebarBackgrounds}
        value={sidebar.background}
        onChange={(background) => style({ sidebar: { ...sidebar, background } })}
      />
      <Choice label={sites.sidebarList} names={sites.sidebarLists} value={sidebar.list} onChange={(list) => style({ sidebar: { ...sidebar, list } })} />
      <Choice label={sites.searchStyle} names={sites.searchStyles} value={styling.search} onChange={(search) => style({ search })} />
    </Fold>
  );
}

const FONTS = [
  "Inter", "ABCFavorit", "FiraSans", "IBMPlexSerif", "Lato", "Merriweather", "NotoSans", "OpenSans",
  "Overpass", "Poppins", "Raleway", "Roboto", "RobotoSlab", "SourceSansPro", "Ubuntu",
] as const;
const MONOSPACE_FONTS = ["IBMPlexMono", "DMMono", "FiraCode", "Inconsolata", "JetBrainsMono", "RobotoMono", "SourceCodePro", "SpaceMono"] as const;

/** Returns the name of a font with spaces between its words. */
function fontName(id: string): string {
  return id.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/^(ABC|IBM|DM)(?=[A-Z])/, "$1 ");
}

/** The fonts and the language of the interface. */
export function Texts() {
  const { sites } = useMessages();
  const { value, set, isVariant, site } = useLook();
  const { styling, style } = useStyling();
  const fonts = useQuery(fontsQuery(site.organization));
  const custom = fonts.data ?? [];
  const optionsOf = (names: readonly string[], font: Styling["font"] | Styling["monospaceFont"]) => [
    ...names.map((id) => ({ id, label: fontName(id) })),
    ...custom.map(({ id, fontFamily }) => ({ id, label: fontFamily })),
    ...(typeof font === "string" || custom.some(({ id }) => id === font.id) ? [] : [{ id: font.id, label: fonts.isSuccess ? sites.fontGone(font.fontFamily) : font.fontFamily }]),
  ];
  const ownFont = (id: string) => {
    const found = custom.find((font) => font.id === id);
    if (!found) return undefined;
    const { permissions: _, ...font } = found;
    return font;
  };
  const idOf = (font: Styling["font"] | Styling["monospaceFont"]) => (typeof font === "string" ? font : font.id);
  return (
    <Fold title={sites.texts}>
      {!isVariant && (
        <>
          <Select
            label={sites.font}
            options={optionsOf(FONTS, styling.font)}
            value={idOf(styling.font)}
            onChange={(id) => style({ font: ownFont(id) ?? FONTS.find((font) => font === id) ?? styling.font })}
            description={sites.fontHint}
          />
          <Select
            label={sites.monospaceFont}
            options={optionsOf(MONOSPACE_FONTS, styling.monospaceFont)}
            value={idOf(styling.monospaceFont)}
            onChange={(id) => style({ monospaceFont: ownFont(id) ?? MONOSPACE_FONTS.find((font) => font === id) ?? styling.monospaceFont })}
          />
          <CustomFonts organization={site.organization} />
        </>
      )}
      <Choice
        label={sites.locale}
        names={sites.locales}
        value={value.internationalization.locale}
        onChange={(locale) => set({ internationalization: { locale } })}
        description={sites.localeHint}
      />
    </Fold>
  );
}
