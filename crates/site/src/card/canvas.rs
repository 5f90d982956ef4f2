//! An image in memory.

use swash::scale::{Render, ScaleContext, Source};
use swash::zeno::{Format, Vector};

use super::MARGIN;
use super::fonts::{ShapedLine, TextSize, Typefaces};
use super::layout::Paragraph;
use crate::style::Color;

/// An image with one byte for each of red, green and blue.
pub(super) struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    /// Creates an image of one colour.
    pub(super) fn new(width: u32, height: u32, color: Color) -> Self {
        let pixels = color.bytes().repeat(usize_of(width) * usize_of(height));
        Self { width, height, pixels }
    }

    /// Fills rows of pixels with a colour.
    pub(super) fn fill_rows(&mut self, from: u32, to: u32, color: Color) {
        let row = usize_of(self.width) * 3;
        let range = usize_of(from) * row..usize_of(to.min(self.height)) * row;
        if let Some(rows) = self.pixels.get_mut(range) {
            for pixel in rows.chunks_exact_mut(3) {
                pixel.copy_from_slice(&color.bytes());
            }
        }
    }

    /// Draws lines of a text below each other, from one of its margins. `top` is the position of the
    /// first base line. Returns the vertical position at which the next base line would be.
    pub(super) fn draw(
        &mut self,
        (text, faces): (&Paragraph<'_>, &Typefaces<'_>),
        lines: &[String],
        size: TextSize,
        top: f32,
        color: Color,
    ) -> f32 {
        let mut y = top;
        for line in lines {
            let shaped = text.shape(line, faces);
            let left = match text.is_right_to_left() {
                #[expect(clippy::cast_precision_loss, reason = "1,200")]
                true => self.width as f32 - MARGIN - shaped.width * size.size,
                false => MARGIN,
            };
            self.draw_glyphs(&shaped, faces, size.size, (left, y), color);
            y += size.line;
        }
        y
    }

    fn draw_glyphs(
        &mut self,
        line: &ShapedLine,
        faces: &Typefaces<'_>,
        size: f32,
        (left, y): (f32, f32),
        color: Color,
    ) {
        let mut context = ScaleContext::new();
        for glyph in &line.glyphs {
            let Some(font) = faces.outlines(glyph.face) else { continue };
            let mut scaler = context.builder(font).size(size).build();
            let (x, up) = (left + glyph.x * size, y - glyph.y * size);
            let offset = Vector::new(x.fract(), 0.0);
            let image = Render::new(&[Source::Outline])
                .format(Format::Alpha)
                .offset(offset)
                .render(&mut scaler, glyph.id);
            let Some(image) = image else { continue };
            let place = image.placement;
            let (x, up) = (truncated(x) + place.left, truncated(up.round()) - place.top);
            for (index, alpha) in image.data.iter().enumerate() {
                let row = index / usize_of(place.width.max(1));
                let column = index % usize_of(place.width.max(1));
                self.blend((x, column), (up, row), *alpha, color);
            }
        }
    }

    /// Mixes a colour into a pixel. Pixels outside of the image are ignored.
    fn blend(
        &mut self,
        (x, column): (i32, usize),
        (y, row): (i32, usize),
        alpha: u8,
        color: Color,
    ) {
        let at = |start: i32, offset: usize, end: u32| {
            let at = i64::from(start) + i64::try_from(offset).ok()?;
            u32::try_from(at).ok().filter(|at| *at < end)
        };
        let (Some(x), Some(y)) = (at(x, column, self.width), at(y, row, self.height)) else {
            return;
        };
        let index = (usize_of(y) * usize_of(self.width) + usize_of(x)) * 3;
        let Some(pixel) = self.pixels.get_mut(index..index + 3) else { return };
        for (channel, ink) in pixel.iter_mut().zip(color.bytes()) {
            let (ink, alpha) = (u16::from(ink), u16::from(alpha));
            let mixed = (u16::from(*channel) * (255 - alpha) + ink * alpha + 127) / 255;
            *channel = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
    }

    /// Returns the image as a PNG; empty if it cannot be encoded, which does not happen.
    pub(super) fn into_png(self) -> Vec<u8> {
        let Self { width, height, pixels } = self;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&pixels)?;
            writer.finish()
        });
        if written.is_err() {
            file.clear();
        }
        file
    }
}

const fn usize_of(number: u32) -> usize {
    number as usize
}

#[expect(clippy::cast_possible_truncation, reason = "positions are within some thousand pixels")]
fn truncated(position: f32) -> i32 {
    position.floor() as i32
}
