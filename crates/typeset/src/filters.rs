//! The work for drawing the filters of an SVG image. The typesetter draws elements with filters as
//! pixels, whatever time that takes.

use usvg::filter::{Filter, Kind};
use usvg::{Group, Node, Tree};

/// Maximum work for one image. A unit takes about ten nanoseconds.
const IMAGE_WORK: f64 = 1e8;
/// Maximum number of elements of an image, in which patterns, masks and clip paths count wherever
/// they are used.
const ELEMENT_LIMIT: usize = 500_000;
/// The number of pixels for a unit of the image in each direction, and the most in one direction.
const PIXELS_PER_UNIT: f64 = 4.0;
const MOST_PIXELS: f64 = 5_000.0;

/// Returns the work for drawing the filters of an image; `None` for an image that takes too much.
pub(crate) fn work(tree: &Tree) -> Option<f64> {
    let mut sum = Sum { work: 0.0, elements: 0 };
    sum.add_group(tree.root());
    (!sum.is_exceeded()).then_some(sum.work)
}

struct Sum {
    work: f64,
    elements: usize,
}

impl Sum {
    fn is_exceeded(&self) -> bool {
        self.work > IMAGE_WORK || self.elements > ELEMENT_LIMIT
    }

    fn add_group(&mut self, group: &Group) {
        let area = group.abs_layer_bounding_box();
        let pixels = |length: f32| (f64::from(length) * PIXELS_PER_UNIT).min(MOST_PIXELS);
        let pixels = pixels(area.width()) * pixels(area.height());
        for filter in group.filters() {
            self.work += pixels * work_per_pixel(filter);
        }
        for node in group.children() {
            self.elements += 1;
            if self.is_exceeded() {
                return;
            }
            if let Node::Group(group) = node {
                self.add_group(group);
            }
            node.subroots(|group| {
                if !self.is_exceeded() {
                    self.add_group(group);
                }
            });
        }
    }
}

fn work_per_pixel(filter: &Filter) -> f64 {
    let work = |kind: &Kind| match kind {
        Kind::Turbulence(turbulence) => 4.0 * f64::from(turbulence.num_octaves()),
        Kind::ConvolveMatrix(convolve) => {
            f64::from(convolve.matrix().columns()) * f64::from(convolve.matrix().rows())
        }
        Kind::Morphology(morphology) => {
            let width = |radius: f32| 2.0 * PIXELS_PER_UNIT * f64::from(radius) + 1.0;
            width(morphology.radius_x().get()) * width(morphology.radius_y().get())
        }
        Kind::GaussianBlur(_)
        | Kind::DropShadow(_)
        | Kind::DiffuseLighting(_)
        | Kind::SpecularLighting(_) => 4.0,
        _ => 1.0,
    };
    // One unit for copying the result.
    1.0 + filter.primitives().iter().map(|primitive| work(primitive.kind())).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use typst::foundations::Bytes;
    use typst::visualize::SvgImage;

    use super::*;

    /// Returns the work for an image of 600 by 400 units with a filter on a large rectangle.
    fn work_of(filter: &str, body: &str) -> Option<f64> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"400\">\
             <defs>{filter}</defs>{body}</svg>"
        );
        work(SvgImage::new(Bytes::new(svg.into_bytes())).unwrap().tree())
    }

    const SHADOW: &str =
        "<filter id=\"f\"><feDropShadow dx=\"2\" dy=\"2\" stdDeviation=\"3\"/></filter>";
    const RECT: &str = "<rect width=\"400\" height=\"300\" filter=\"url(#f)\"/>";

    #[test]
    fn usual_filters_are_accepted() {
        assert_eq!(work_of("", "<rect width=\"400\" height=\"300\"/>"), Some(0.0));
        assert!(work_of(SHADOW, RECT).is_some_and(|work| work > 1e6));
    }

    #[test]
    fn expensive_filters_are_refused() {
        let turbulence = |octaves: u32| {
            format!(
                "<filter id=\"f\"><feTurbulence baseFrequency=\"1\" numOctaves=\"{octaves}\"/></filter>"
            )
        };
        assert_eq!(work_of(&turbulence(99_999), RECT), None);
        let huge = "<rect width=\"1e9\" height=\"1e9\" filter=\"url(#f)\"/>";
        assert_eq!(work_of(&turbulence(9), huge), None);
        assert_eq!(work_of(SHADOW, &RECT.repeat(20)), None);
        let thick = "<filter id=\"f\"><feMorphology operator=\"dilate\" radius=\"60\"/></filter>";
        assert_eq!(work_of(thick, RECT), None);
    }

    #[test]
    fn patterns_count_wherever_they_are_used() {
        let pattern = format!(
            "{SHADOW}<pattern id=\"p\" width=\"400\" height=\"300\" patternUnits=\"userSpaceOnUse\">{RECT}\
             </pattern>"
        );
        let filled = "<rect width=\"500\" height=\"300\" fill=\"url(#p)\"/>";
        assert!(work_of(&pattern, filled).is_some_and(|work| work > 1e6));
        assert_eq!(work_of(&pattern, &filled.repeat(20)), None);
    }
}
