//! The styles that a site chooses: its colours, adjusted until they are legible, and its shapes and
//! fonts. The address of the generated stylesheet contains the choices, so it never changes.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::ASSETS;
use super::color::{Color, Oklch, contrast};
use super::fonts::{Font, MonospaceFont};
use crate::icons::{self, IconStyle};

/// A colour for the light and one for the dark scheme.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ColorPair {
    /// The colour in the light scheme.
    pub light: Color,
    /// The colour in the dark scheme.
    pub dark: Color,
}

impl ColorPair {
    /// Parses a colour for each scheme. One that is no colour takes its value from the other.
    pub fn parse(light: &str, dark: &str) -> Option<Self> {
        let (light, dark) = (Color::parse(light), Color::parse(dark));
        let either = light.or(dark)?;
        Some(Self { light: light.unwrap_or(either), dark: dark.unwrap_or(either) })
    }
}

/// The styles of a site that differ from those of the stylesheet.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Theme {
    /// The primary colour, of links, buttons and the current page.
    pub primary: Option<ColorPair>,
    /// The colour that tints the greys.
    pub tint: Option<ColorPair>,
    /// The colours of hints: information, success, warning and danger.
    pub tones: [Option<ColorPair>; 4],
    /// The background of the header with the colour of its text.
    pub header: Option<(ColorPair, Option<ColorPair>)>,
    /// The background of the whole page.
    pub background: Background,
    /// The shape of corners.
    pub corners: Corners,
    /// `true` if nothing has a shadow.
    pub flat: bool,
    /// `true` if links in texts have a strong underline in the primary colour.
    pub accent_links: bool,
    /// `true` if the navigation has a background.
    pub filled_sidebar: bool,
    /// The mark of the current page in the navigation.
    pub sidebar_list: SidebarList,
    /// `true` if the search field has no border.
    pub subtle_search: bool,
    /// The font of texts.
    pub font: Option<Font>,
    /// The font of code.
    pub monospace_font: Option<MonospaceFont>,
    /// The style of icons.
    pub icons: IconStyle,
}

/// The background of the whole page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Background {
    /// White or nearly black.
    #[default]
    Plain,
    /// A light grey, or one that is less dark.
    Muted,
    /// A trace of the primary colour that fades from the top.
    Gradient,
}

/// The shape of corners.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Corners {
    /// A radius of a few pixels.
    #[default]
    Rounded,
    /// None are rounded.
    Straight,
    /// Buttons and fields are round at their ends.
    Circular,
}

/// The mark of the current page in the navigation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SidebarList {
    /// A tinted rectangle.
    #[default]
    Default,
    /// A tinted pill.
    Pill,
    /// A line at the side.
    Line,
}

/// A part of the theme's address. It is raised whenever the generated stylesheet changes for the
/// same choices.
const VERSION: u32 = 9;

/// Maximum length of a theme's choices in its address, in bytes before they are written as
/// hexadecimal digits.
const MAX_ENCODED: usize = 256;

/// Minimum contrast of accents with the surfaces below them: WCAG level AA with a margin for the
/// difference between how this file and a browser clip colours.
const MIN_CONTRAST: f64 = 4.7;

/// Minimum contrast of accents with the area of the current page in the navigation, which they tint.
const MIN_TINTED_CONTRAST: f64 = 4.55;

/// Contrast of white with an area from which on the area is darkened for white text. Text on lighter
/// areas is black.
const MIN_WHITE_CONTRAST: f64 = 3.0;

/// The surfaces with the least contrast to text in the light and the dark scheme. A test compares
/// them with the stylesheet's.
pub(super) const LIGHT_SURFACE: Oklch = Oklch { lightness: 0.955, chroma: 0.008, hue: 262.0 };
pub(super) const DARK_SURFACE: Oklch = Oklch { lightness: 0.27, chroma: 0.018, hue: 262.0 };
/// The surfaces with the least contrast to text that the navigation can have.
pub(super) const LIGHT_RAISED: Oklch = Oklch { lightness: 0.976, chroma: 0.005, hue: 262.0 };
pub(super) const DARK_RAISED: Oklch = Oklch { lightness: 0.22, chroma: 0.014, hue: 262.0 };

/// The greys that a tint colours: token, lightness and maximum chroma in the light and in the dark
/// scheme.
const GREYS: [(&str, [f64; 2], [f64; 2]); 7] = [
    ("surface", [0.994, 0.004], [0.188, 0.018]),
    ("raised", [0.974, 0.010], [0.224, 0.022]),
    ("hover", [0.953, 0.016], [0.272, 0.028]),
    ("line", [0.910, 0.018], [0.298, 0.030]),
    ("line-strong", [0.815, 0.028], [0.412, 0.036]),
    ("text", [0.262, 0.030], [0.905, 0.014]),
    ("muted", [0.462, 0.034], [0.735, 0.024]),
];

impl Theme {
    /// Returns the address of the theme's stylesheet, or `None` if the theme changes nothing.
    pub fn path(&self) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        let bytes = postcard::to_stdvec(self).ok()?;
        let mut path = format!("{ASSETS}theme{VERSION}-");
        for byte in bytes {
            // Writing to a string cannot fail.
            let _written = write!(path, "{byte:02x}");
        }
        path.push_str(".css");
        Some(path)
    }

    /// Returns the theme whose stylesheet has this file name.
    pub(super) fn from_file_name(name: &str) -> Option<Self> {
        let stem = name.strip_prefix(&format!("theme{VERSION}-"))?.strip_suffix(".css")?;
        if stem.len() > 2 * MAX_ENCODED || !stem.is_ascii() {
            return None;
        }
        let bytes: Option<Vec<u8>> = (0..stem.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(stem.get(at..at + 2)?, 16).ok())
            .collect();
        let theme: Self = postcard::from_bytes(&bytes?).ok()?;
        // A theme has one address. Other spellings of the same choices are not found.
        (theme.path()?.strip_prefix(ASSETS) == Some(name)).then_some(theme)
    }

    /// Returns the theme's stylesheet.
    pub(super) fn stylesheet(&self) -> String {
        let mut css = String::from(":root{");
        self.push_colors(&mut css);
        match self.corners {
            Corners::Rounded => {}
            Corners::Straight => css.push_str("--radius:0;--radius-small:0;"),
            Corners::Circular => css.push_str("--radius:1rem;--radius-small:.625rem;"),
        }
        if let Some(font) = self.font {
            css.push_str(&format!("--sans:{};", font.family()));
        }
        if let Some(font) = self.monospace_font {
            css.push_str(&format!("--mono:{};", font.family()));
        }
        css.push('}');
        self.push_rules(&mut css);
        css.push_str(icons::rules(self.icons));
        css
    }

    fn push_colors(&self, css: &mut String) {
        let [[light_surface, dark_surface], [light_raised, dark_raised]] = self.push_greys(css);
        if let Some(ColorPair { light, dark }) = self.primary {
            if self.tint.is_none() {
                css.push_str(&format!("--hue:{:.0};", Oklch::from(light).hue));
            }
            let accent = |color: Color, surface, raised, step| {
                let share = self.current_page_tint();
                let is_legible = |accent: Oklch| {
                    let accent = Color::from(accent);
                    contrast(accent, Color::from(surface)) >= MIN_CONTRAST
                        && contrast(accent, Color::from(raised).tinted(accent, share))
                            >= MIN_TINTED_CONTRAST
                };
                css_color(adjusted(color.into(), step, is_legible))
            };
            let accents = [
                accent(light, light_surface, light_raised, -0.01),
                accent(dark, dark_surface, dark_raised, 0.01),
            ];
            push_pair(css, "accent", &accents);
            let (light, dark) = (Filled::new(light, None), Filled::new(dark, None));
            push_pair(css, "primary", &[&light.background, &dark.background]);
            push_pair(css, "on-primary", &[&light.text, &dark.text]);
        }
        for (name, pair) in ["info", "success", "warning", "danger"].into_iter().zip(self.tones) {
            let Some(ColorPair { light, dark }) = pair else { continue };
            let (light, dark) = (Oklch::from(light), Oklch::from(dark));
            // The background has the hue of the colour and a lightness that every text can be read
            // on.
            let tints = [
                Oklch { lightness: 0.968, chroma: light.chroma.min(0.022), ..light },
                Oklch { lightness: 0.255, chroma: dark.chroma.min(0.038), ..dark },
            ];
            let tones = [
                css_color(adjust_contrast(light, darker(tints[0], light_surface), -0.01)),
                css_color(adjust_contrast(dark, lighter(tints[1], dark_surface), 0.01)),
            ];
            push_pair(css, name, &tones);
            push_pair(css, &format!("{name}-tint"), &tints.map(css_color));
        }
    }

    /// Returns the share of the accent in the area of the current page in the navigation.
    fn current_page_tint(&self) -> f64 {
        // The primary colour, which is close to the accent, tints a gradient by 7 %.
        if self.background == Background::Gradient { 0.17 } else { 0.10 }
    }

    /// Writes the tinted greys. Returns the surfaces with the least contrast to text, and those that
    /// the navigation can have.
    fn push_greys(&self, css: &mut String) -> [[Oklch; 2]; 2] {
        let Some(ColorPair { light, dark }) = self.tint else {
            return [[LIGHT_SURFACE, DARK_SURFACE], [LIGHT_RAISED, DARK_RAISED]];
        };
        let tinted = |color: Color, [lightness, chroma]: [f64; 2]| {
            let Oklch { chroma: own, hue, .. } = Oklch::from(color);
            // A grey tint stays grey.
            Oklch { lightness, chroma: chroma * (own / 0.12).min(1.0), hue }
        };
        css.push_str(&format!("--hue:{:.0};", Oklch::from(light).hue));
        let mut surfaces = [LIGHT_SURFACE, DARK_SURFACE];
        let mut raised = [LIGHT_RAISED, DARK_RAISED];
        for (name, in_light, in_dark) in GREYS {
            let pair = [tinted(light, in_light), tinted(dark, in_dark)];
            match name {
                "hover" => surfaces = pair,
                "raised" => raised = pair,
                _ => {}
            }
            push_pair(css, name, &pair.map(css_color));
        }
        [surfaces, raised]
    }

    fn push_rules(&self, css: &mut String) {
        match self.background {
            Background::Plain => {}
            // The page and what is raised above it exchange their colours.
            Background::Muted => css.push_str(
                "body,.site-nav,.site-header{background:var(--raised)}\
                 .prose :is(pre,code,.card),.code,.search input,.search-filter{background:var(--surface)}",
            ),
            Background::Gradient => css.push_str(
                "body{background:linear-gradient(color-mix(in oklab,var(--primary) 7%,\
                 var(--surface)),var(--surface) 28rem) no-repeat var(--surface)}\
                 @media (width>=64rem){.site-nav{background:none}}\
                 .site-header{background:color-mix(in oklab,var(--primary) 7%,var(--surface))}",
            ),
        }
        if let Some((background, text)) = self.header {
            let light = Filled::new(background.light, text.map(|text| text.light));
            let dark = Filled::new(background.dark, text.map(|text| text.dark));
            css.push_str(":root{");
            push_pair(css, "header-surface", &[&light.background, &dark.background]);
            push_pair(css, "on-header", &[&light.text, &dark.text]);
            css.push_str(
                "}.site-header{background:var(--header-surface);border-color:transparent}\
                 .site-header :is(.site-title,.menu-button,.theme-switch),.site-links>li>a.button,\
                 .site-links>li>a:not(.button),.site-header .menu>summary{color:var(--on-header)}\
                 .bar>.menu>summary,.site-links>li>.button{border-color:color-mix(in oklab,\
                 var(--on-header) 40%,transparent)}.menu-button:hover,.theme-switch:hover,\
                 .site-links>li>.button:hover{background:none}\
                 .bar :focus-visible{outline-color:var(--on-header)}\
                 .bar .menu ul :focus-visible{outline-color:var(--accent)}\
                 .site-links>li>a.button-primary,.site-links>li>a.button-primary:hover{\
                 border-color:transparent;background:var(--on-header);\
                 color:var(--header-surface)}",
            );
        }
        if self.corners == Corners::Circular {
            css.push_str(".button,.search input,.search-filter,:is(.bar,.nav-tools) .menu>summary{border-radius:2rem}");
        }
        if self.flat {
            css.push_str(".menu ul,.outline ul,.note[popover],dialog.search-box{box-shadow:none}");
        }
        if self.accent_links {
            css.push_str(
                ".prose a[href]{text-decoration-color:var(--accent);\
                 text-decoration-thickness:2px}",
            );
        }
        if self.filled_sidebar {
            // The whole page of a muted theme is raised.
            let surface = if self.background == Background::Muted { "surface" } else { "raised" };
            css.push_str(&format!(
                "@media (width>=64rem){{.site-nav{{background:var(--{surface});\
                 min-block-size:calc(100dvh - var(--header))}}}}"
            ));
        }
        match self.sidebar_list {
            SidebarList::Default => {}
            SidebarList::Pill => {
                css.push_str(".site-nav a,.group>details>summary{border-radius:2rem}");
            }
            SidebarList::Line => css.push_str(
                ".site-nav a{border-radius:0;border-inline-start:2px solid transparent}\
                 .site-nav [aria-current=\"page\"]{background:none;\
                 border-inline-start-color:var(--accent)}",
            ),
        }
        if self.subtle_search {
            css.push_str(".search-start input{border-color:transparent;background:none}");
            if self.header.is_some() {
                css.push_str(
                    ".bar .search,.bar .search :is(input,kbd,button),.bar .search input::placeholder\
                     {border-color:transparent;color:var(--on-header)}",
                );
            }
        }
    }
}

fn push_pair(css: &mut String, name: &str, [light, dark]: &[impl AsRef<str>; 2]) {
    css.push_str(&format!("--{name}:light-dark({},{});", light.as_ref(), dark.as_ref()));
}

fn darker(one: Oklch, other: Oklch) -> Oklch {
    if one.lightness < other.lightness { one } else { other }
}

fn lighter(one: Oklch, other: Oklch) -> Oklch {
    if one.lightness > other.lightness { one } else { other }
}

fn css_color(color: Oklch) -> String {
    format!("oklch({:.3} {:.3} {:.1})", color.lightness, color.chroma, color.hue)
}

/// A filled area with the colour of the text on it, as CSS.
struct Filled {
    background: String,
    text: String,
}

impl Filled {
    /// Returns the colours for an area. The wanted text colour applies if it is legible. Otherwise
    /// the text is white, on an area that is darkened until white is legible, or black on a light
    /// area.
    fn new(background: Color, wanted: Option<Color>) -> Self {
        let white = Color::new(255, 255, 255);
        if let Some(text) = wanted.filter(|text| contrast(*text, background) >= 4.5) {
            return Self { background: css_color(background.into()), text: css_color(text.into()) };
        }
        if contrast(white, background) < MIN_WHITE_CONTRAST {
            return Self { background: css_color(background.into()), text: "#000".to_owned() };
        }
        let background = adjust_contrast(background.into(), white.into(), -0.005);
        Self { background: css_color(background), text: "#fff".to_owned() }
    }
}

/// Returns the colour, darkened or lightened until it is legible on the surface.
fn adjust_contrast(accent: Oklch, surface: Oklch, step: f64) -> Oklch {
    let surface = Color::from(surface);
    adjusted(accent, step, |accent| contrast(Color::from(accent), surface) >= MIN_CONTRAST)
}

/// Returns the colour, darkened or lightened until it is legible.
fn adjusted(mut accent: Oklch, step: f64, is_legible: impl Fn(Oklch) -> bool) -> Oklch {
    while !is_legible(accent) && (0.0..=1.0).contains(&(accent.lightness + step)) {
        accent.lightness += step;
        // Very light and very dark colours of full chroma do not exist in sRGB, and clipping would
        // change their hue.
        if !(0.3..=0.85).contains(&accent.lightness) {
            accent.chroma *= 0.94;
        }
    }
    accent
}
