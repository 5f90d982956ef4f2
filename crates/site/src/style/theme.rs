//! A site's own colours, adjusted until they are legible on its pages.

use super::ASSETS;
use super::color::{Color, Oklch, contrast};

/// The primary colours of a site. An absent one takes its value from the other; without both, those
/// of the stylesheet apply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Theme {
    /// The primary colour in the light scheme.
    pub light: Option<Color>,
    /// The primary colour in the dark scheme.
    pub dark: Option<Color>,
}

/// A part of the theme's address. It is raised whenever the generated stylesheet changes for the
/// same colours.
const VERSION: u32 = 1;

/// Minimum contrast of accents with the surfaces below them: WCAG level AA with a margin for the
/// difference between how this file and a browser clip colours.
const MIN_CONTRAST: f64 = 4.7;

/// The surfaces with the least contrast to text in the light and the dark scheme. A test compares
/// them with the stylesheet's.
pub(super) const LIGHT_SURFACE: Oklch = Oklch { lightness: 0.955, chroma: 0.008, hue: 262.0 };
pub(super) const DARK_SURFACE: Oklch = Oklch { lightness: 0.27, chroma: 0.018, hue: 262.0 };

impl Theme {
    /// Parses the colours of a site's settings. Ignores values that are not colours.
    pub fn parse(light: &str, dark: &str) -> Self {
        Self { light: Color::parse(light), dark: Color::parse(dark) }
    }

    /// Returns the address of the theme's stylesheet, or `None` if the default colours apply.
    pub fn path(&self) -> Option<String> {
        let (light, dark) = self.pair()?;
        Some(format!("{ASSETS}theme{VERSION}-{}-{}.css", light.hex(), dark.hex()))
    }

    /// Returns the theme whose stylesheet has this file name.
    pub(super) fn from_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_prefix(&format!("theme{VERSION}-"))?.strip_suffix(".css")?;
        let (light, dark) = stem.split_once('-')?;
        let theme = Self::parse(light, dark);
        // A theme has one address. Other spellings of the same colours are not found.
        (theme.path()?.strip_prefix(ASSETS) == Some(name)).then_some(theme)
    }

    fn pair(&self) -> Option<(Color, Color)> {
        let light = self.light.or(self.dark)?;
        Some((light, self.dark.unwrap_or(light)))
    }

    /// Returns the theme's stylesheet: the tokens that depend on the site's colours.
    pub(super) fn stylesheet(&self) -> String {
        let Some((light, dark)) = self.pair() else {
            return String::new();
        };
        let (for_light, for_dark) = (
            adjust_contrast(light, LIGHT_SURFACE, -0.01),
            adjust_contrast(dark, DARK_SURFACE, 0.01),
        );
        let pair =
            |name: &str, light: &str, dark: &str| format!("--{name}:light-dark({light},{dark});");
        let mut css = String::from(":root{");
        css.push_str(&format!("--hue:{:.0};", Oklch::from(light).hue));
        css.push_str(&pair("accent", &css_color(for_light), &css_color(for_dark)));
        css.push_str(&pair("primary", &css_color(light.into()), &css_color(dark.into())));
        css.push_str(&pair("on-primary", text_color_on(light), text_color_on(dark)));
        css.push('}');
        css
    }
}

fn css_color(color: Oklch) -> String {
    format!("oklch({:.3} {:.3} {:.1})", color.lightness, color.chroma, color.hue)
}

/// Returns black or white, whichever has more contrast with the colour.
fn text_color_on(color: Color) -> &'static str {
    let white = contrast(color, Color::new(255, 255, 255));
    if white >= contrast(color, Color::new(0, 0, 0)) { "#fff" } else { "#000" }
}

/// Returns the colour, darkened or lightened until it is legible on the surface.
fn adjust_contrast(color: Color, surface: Oklch, step: f64) -> Oklch {
    let mut accent = Oklch::from(color);
    let surface = Color::from(surface);
    while contrast(Color::from(accent), surface) < MIN_CONTRAST
        && (0.0..=1.0).contains(&(accent.lightness + step))
    {
        accent.lightness += step;
        // Very light and very dark colours of full chroma do not exist in sRGB, and clipping would
        // change their hue.
        if !(0.3..=0.85).contains(&accent.lightness) {
            accent.chroma *= 0.94;
        }
    }
    accent
}
