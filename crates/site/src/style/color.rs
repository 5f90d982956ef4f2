//! Colours in the perceptual OKLCH space, in which a site's own colour is adjusted until it is
//! legible. The matrices are Björn Ottosson's (<https://bottosson.github.io/posts/oklab/>).

use serde::{Deserialize, Serialize};

/// A colour in sRGB with one byte per channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Color([u8; 3]);

/// A colour by lightness (0 to 1), chroma (0 to about 0.37) and hue (degrees).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Oklch {
    /// Perceived lightness, 0 to 1.
    pub lightness: f64,
    /// Distance from grey.
    pub chroma: f64,
    /// Angle in degrees.
    pub hue: f64,
}

impl Color {
    /// Creates a colour from three bytes.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self([red, green, blue])
    }

    /// Parses `#rgb`, `#rrggbb` or `#rrggbbaa`, with or without `#`. Ignores the opacity.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let nibbles: Vec<u8> = digits
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()?;
        match nibbles.as_slice() {
            [r, g, b] => Some(Self([r * 17, g * 17, b * 17])),
            [r, r2, g, g2, b, b2] | [r, r2, g, g2, b, b2, _, _] => {
                Some(Self([r * 16 + r2, g * 16 + g2, b * 16 + b2]))
            }
            _ => None,
        }
    }

    /// Returns red, green and blue.
    pub const fn bytes(self) -> [u8; 3] {
        self.0
    }

    /// Returns six hexadecimal digits without `#`.
    pub fn hex(self) -> String {
        let Self([r, g, b]) = self;
        format!("{r:02x}{g:02x}{b:02x}")
    }

    /// Returns the relative luminance from 0 to 1 (WCAG 2.2).
    pub fn luminance(self) -> f64 {
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }
}

impl Color {
    /// Returns the colour with an opaque share of another one on it, from 0 to 1.
    pub fn tinted(self, other: Self, share: f64) -> Self {
        let mix = |below: u8, above: u8| {
            let mixed = f64::from(below).mul_add(1.0 - share, f64::from(above) * share);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between two bytes"
            )]
            let byte = mixed.round() as u8;
            byte
        };
        let ([r, g, b], [r2, g2, b2]) = (self.0, other.0);
        Self([mix(r, r2), mix(g, g2), mix(b, b2)])
    }
}

fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn gamma_encode(value: f64) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let value =
        if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 0..=1 above"
    )]
    let byte = (value * 255.0).round() as u8;
    byte
}

/// Returns the contrast of two colours from 1 to 21 (WCAG 2.2).
pub fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

impl From<Color> for Oklch {
    fn from(color: Color) -> Self {
        let [r, g, b] = color.0.map(linear);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        let lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s;
        let a = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s;
        let b = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s;
        Self { lightness, chroma: a.hypot(b), hue: b.atan2(a).to_degrees().rem_euclid(360.0) }
    }
}

/// Converts to the nearest sRGB colour by clipping each channel.
impl From<Oklch> for Color {
    fn from(color: Oklch) -> Self {
        let (sin, cos) = color.hue.to_radians().sin_cos();
        let (a, b) = (color.chroma * cos, color.chroma * sin);
        let l = (color.lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (color.lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (color.lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        Self([
            gamma_encode(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
            gamma_encode(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
            gamma_encode(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        ])
    }
}
