//! Text colours: those that the contract names, and other colours that authors write.

use std::borrow::Cow;

/// A colour, by name or by its components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "the names say all there is to say")]
pub enum Color {
    #[default]
    Default,
    Green,
    Blue,
    Red,
    Orange,
    Yellow,
    Purple,
    Primary,
    Info,
    Success,
    Warning,
    Danger,
    /// A colour that the contract does not name: red, green and blue.
    Rgb(u8, u8, u8),
}

/// Names of further CSS colours that authors use.
const NAMES: [(&str, u32); 40] = [
    ("aqua", 0x00_FF_FF),
    ("black", 0x00_00_00),
    ("brown", 0xA5_2A_2A),
    ("coral", 0xFF_7F_50),
    ("crimson", 0xDC_14_3C),
    ("cyan", 0x00_FF_FF),
    ("darkblue", 0x00_00_8B),
    ("darkgray", 0xA9_A9_A9),
    ("darkgreen", 0x00_64_00),
    ("darkgrey", 0xA9_A9_A9),
    ("darkorange", 0xFF_8C_00),
    ("darkred", 0x8B_00_00),
    ("deepskyblue", 0x00_BF_FF),
    ("dodgerblue", 0x1E_90_FF),
    ("fuchsia", 0xFF_00_FF),
    ("gold", 0xFF_D7_00),
    ("gray", 0x80_80_80),
    ("grey", 0x80_80_80),
    ("hotpink", 0xFF_69_B4),
    ("indigo", 0x4B_00_82),
    ("lightblue", 0xAD_D8_E6),
    ("lightgray", 0xD3_D3_D3),
    ("lightgreen", 0x90_EE_90),
    ("lightgrey", 0xD3_D3_D3),
    ("lightyellow", 0xFF_FF_E0),
    ("lime", 0x00_FF_00),
    ("magenta", 0xFF_00_FF),
    ("maroon", 0x80_00_00),
    ("navy", 0x00_00_80),
    ("olive", 0x80_80_00),
    ("orangered", 0xFF_45_00),
    ("pink", 0xFF_C0_CB),
    ("rebeccapurple", 0x66_33_99),
    ("royalblue", 0x41_69_E1),
    ("silver", 0xC0_C0_C0),
    ("skyblue", 0x87_CE_EB),
    ("teal", 0x00_80_80),
    ("tomato", 0xFF_63_47),
    ("violet", 0xEE_82_EE),
    ("white", 0xFF_FF_FF),
];

impl Color {
    /// All colours that have a name.
    pub(crate) const ALL: [Self; 12] = [
        Self::Default,
        Self::Green,
        Self::Blue,
        Self::Red,
        Self::Orange,
        Self::Yellow,
        Self::Purple,
        Self::Primary,
        Self::Info,
        Self::Success,
        Self::Warning,
        Self::Danger,
    ];

    /// Returns the contract's name. A colour without a name returns `default`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Default | Self::Rgb(..) => "default",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Red => "red",
            Self::Orange => "orange",
            Self::Yellow => "yellow",
            Self::Purple => "purple",
            Self::Primary => "$primary",
            Self::Info => "$info",
            Self::Success => "$success",
            Self::Warning => "$warning",
            Self::Danger => "$danger",
        }
    }

    /// Returns the colour with this name, or the default colour for an unknown name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|color| color.name() == name).unwrap_or_default()
    }

    /// Returns the colour as a CSS value: its name, or `#rrggbb` if it has none.
    #[must_use]
    pub fn css(self) -> Cow<'static, str> {
        match self.hex() {
            Some(hex) => Cow::Owned(hex),
            None => Cow::Borrowed(self.name()),
        }
    }

    /// Returns `#rrggbb` if the colour has no name.
    pub(crate) fn hex(self) -> Option<String> {
        match self {
            Self::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
            _ => None,
        }
    }

    /// Parses a CSS colour such as `red`, `$info`, `pink`, `#abc`, `#aabbcc` or `rgb(1, 2, 3)`.
    /// Other text gives the default colour.
    #[must_use]
    pub fn from_css(text: &str) -> Self {
        let text = text.trim();
        let text = text.split_once("!important").map_or(text, |(text, _)| text.trim_end());
        let lower = text.to_ascii_lowercase();
        let named = Self::from_name(&lower);
        if named != Self::Default {
            return named;
        }
        let parts = if let Some(digits) = lower.strip_prefix('#') {
            from_digits(digits)
        } else if let Ok(at) = NAMES.binary_search_by_key(&lower.as_str(), |(name, _)| *name) {
            NAMES.get(at).map(|(_, number)| {
                let [_, red, green, blue] = number.to_be_bytes();
                [red, green, blue]
            })
        } else {
            from_function(&lower)
        };
        parts.map_or(Self::Default, |[red, green, blue]| Self::Rgb(red, green, blue))
    }

    /// Returns the named colour with the nearest hue. Greys give the default colour.
    #[must_use]
    pub fn nearest(self) -> Self {
        /// Saturation below which a colour counts as grey.
        const GREY: i32 = 28;
        let Self::Rgb(red, green, blue) = self else { return self };
        let [red, green, blue] = [red, green, blue].map(i32::from);
        let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
        let spread = most - least;
        if spread < GREY {
            return Self::Default;
        }
        let hue = if most == red {
            (60 * (green - blue) / spread).rem_euclid(360)
        } else if most == green {
            120 + 60 * (blue - red) / spread
        } else {
            240 + 60 * (red - green) / spread
        };
        match hue {
            ..15 | 340.. => Self::Red,
            15..42 => Self::Orange,
            42..70 => Self::Yellow,
            70..170 => Self::Green,
            170..255 => Self::Blue,
            255..340 => Self::Purple,
        }
    }
}

/// Parses three, four, six or eight hexadecimal digits as red, green and blue. Ignores the alpha
/// channel.
fn from_digits(digits: &str) -> Option<[u8; 3]> {
    let number = u32::from_str_radix(digits, 16).ok()?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let short = |number: u32| {
        let part = |shift: u32| u8::try_from((number >> shift) & 0xF).unwrap_or_default() * 0x11;
        [part(8), part(4), part(0)]
    };
    let long = |number: u32| {
        let [_, red, green, blue] = number.to_be_bytes();
        [red, green, blue]
    };
    match digits.len() {
        3 => Some(short(number)),
        4 => Some(short(number >> 4)),
        6 => Some(long(number)),
        8 => Some(long(number >> 8)),
        _ => None,
    }
}

/// Parses `rgb(1, 2, 3)` and `rgba(1, 2, 3, .5)`.
fn from_function(text: &str) -> Option<[u8; 3]> {
    let inner = text.strip_prefix("rgb")?;
    let inner = inner.strip_prefix('a').unwrap_or(inner);
    let inner = inner.strip_prefix('(')?.strip_suffix(')')?;
    let mut parts = inner.split([',', ' ', '/']).filter(|part| !part.is_empty());
    let mut next = || parts.next()?.parse::<u8>().ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_name_colours() {
        for (text, expected, nearest) in [
            ("red", Color::Red, "red"),
            ("$info", Color::Info, "$info"),
            (" Orange !important", Color::Orange, "orange"),
            ("#cd6e57", Color::Rgb(0xCD, 0x6E, 0x57), "red"),
            ("#F80", Color::Rgb(0xFF, 0x88, 0), "orange"),
            ("#f808", Color::Rgb(0xFF, 0x88, 0), "orange"),
            ("#00ff0080", Color::Rgb(0, 0xFF, 0), "green"),
            ("rgb(1, 2, 250)", Color::Rgb(1, 2, 250), "blue"),
            ("rgba(250 250 2 / 0.5)", Color::Rgb(250, 250, 2), "yellow"),
            ("pink", Color::Rgb(0xFF, 0xC0, 0xCB), "red"),
            ("rebeccapurple", Color::Rgb(0x66, 0x33, 0x99), "purple"),
            ("#808080", Color::Rgb(0x80, 0x80, 0x80), "default"),
            ("white", Color::Rgb(255, 255, 255), "default"),
            ("default", Color::Default, "default"),
            ("", Color::Default, "default"),
            ("#12345", Color::Default, "default"),
            ("#+12", Color::Default, "default"),
            ("#é", Color::Default, "default"),
            ("rgb(1,2)", Color::Default, "default"),
            ("rgb(256,0,0)", Color::Default, "default"),
            ("url(javascript:x)", Color::Default, "default"),
        ] {
            let color = Color::from_css(text);
            assert_eq!(color, expected, "{text}");
            assert_eq!(color.nearest().name(), nearest, "{text}");
            assert_eq!(Color::from_css(&color.css()), color, "{text}");
        }
    }

    #[test]
    fn names_are_in_order() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
    }
}
