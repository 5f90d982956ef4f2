//! Division of texts into lines.

use icu_segmenter::LineSegmenter;
use icu_segmenter::options::LineBreakOptions;
use unicode_bidi::{Direction, Level, get_base_direction};

use super::fonts::{ShapedLine, TextSize, Typefaces};

const ELLIPSIS: char = '…';

/// A text in a direction that can be divided into lines.
pub(super) struct Paragraph<'t> {
    text: &'t str,
    level: Level,
    /// The positions of the text before which a line can end, without its beginning.
    breaks: Vec<usize>,
    /// The positions of the clusters, and the width of the text up to each, relative to the size of
    /// the font. The last one is the end.
    widths: Vec<(usize, f32)>,
    ellipsis: f32,
}

/// Returns the direction of a text: that of its first letter.
fn level_of(text: &str) -> Level {
    match get_base_direction(text) {
        Direction::Rtl => Level::rtl(),
        Direction::Ltr | Direction::Mixed => Level::ltr(),
    }
}

impl<'t> Paragraph<'t> {
    pub(super) fn new(text: &'t str, faces: &Typefaces<'_>) -> Self {
        let level = level_of(text);
        let mut widths = Vec::new();
        let mut width = 0.0;
        for (at, advance) in faces.shape(text, level).clusters {
            widths.push((at, width));
            width += advance;
        }
        widths.push((text.len(), width));
        // Words of Thai and some other scripts are found without spaces between them.
        let segmenter = LineSegmenter::new_auto(LineBreakOptions::default());
        let breaks = segmenter.segment_str(text).filter(|at| *at > 0).collect();
        let ellipsis = faces.shape("…", level).width;
        Self { text, level, breaks, widths, ellipsis }
    }

    /// Returns `true` if the text is written from right to left.
    pub(super) fn is_right_to_left(&self) -> bool {
        self.level.is_rtl()
    }

    fn width_to(&self, at: usize) -> f32 {
        let next = self.widths.partition_point(|(known, _)| *known < at);
        self.widths.get(next).or(self.widths.last()).map_or(0.0, |(_, width)| *width)
    }

    /// Returns a part of the text without spaces at its end, and its width.
    fn part(&self, from: usize, to: usize) -> (&'t str, f32) {
        let part = self.text.get(from..to).unwrap_or_default().trim_end();
        (part, self.width_to(from + part.len()) - self.width_to(from))
    }

    /// Returns the end of the longest line of a width that begins at a position.
    fn line_end(&self, from: usize, width: f32) -> usize {
        let fits = |to: &usize| self.part(from, *to).1 <= width;
        let after = |at: &usize| *at > from;
        let whole = self.breaks.iter().copied().filter(after).take_while(fits).last();
        let broken = || {
            let clusters = self.widths.iter().map(|(at, _)| *at).filter(after);
            clusters.clone().take_while(fits).last().or_else(|| clusters.min())
        };
        whole.or_else(broken).unwrap_or(self.text.len())
    }

    /// Divides the text into at most `most` lines of a width. The last line ends with an ellipsis if
    /// the text continues.
    pub(super) fn lines(&self, size: TextSize, width: f32, most: usize) -> Vec<String> {
        let width = width / size.size;
        let mut lines = Vec::new();
        let mut from = 0;
        while from < self.text.len() {
            let to = self.line_end(from, width);
            if lines.len() + 1 == most && to < self.text.len() {
                lines.push(self.shortened(from, to, width));
                break;
            }
            lines.push(self.part(from, to).0.to_owned());
            from = to;
        }
        lines
    }

    /// Returns a line with an ellipsis at its end.
    fn shortened(&self, from: usize, to: usize, width: f32) -> String {
        let ends = self.widths.iter().rev().map(|(at, _)| *at);
        let mut ends = ends.filter(|at| (from..=to).contains(at));
        let end = ends.find(|at| self.part(from, *at).1 + self.ellipsis <= width);
        let mut line = self.part(from, end.unwrap_or(from)).0.to_owned();
        line.push(ELLIPSIS);
        line
    }

    /// Arranges a line of the text.
    pub(super) fn shape(&self, line: &str, faces: &Typefaces<'_>) -> ShapedLine {
        faces.shape(line, self.level)
    }
}
